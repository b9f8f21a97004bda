// Nothing is written but the stencil's reference, so there is no output to define.
