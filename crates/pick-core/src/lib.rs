//! The data and rules of picking: views, contributors, ids, strategies, plans, answers.
