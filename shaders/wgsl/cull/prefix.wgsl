// The sum of the counts before one, by a whole workgroup.
var<workgroup> sums: array<u32, 256>;

fn sum_before(counts: u32, slot: u32, thread: u32) -> u32 {
    var sum = 0u;
    for (var at = thread; at < slot; at += 256u) {
        sum += scratch[counts + at];
    }
    sums[thread] = sum;
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if thread < step {
            sums[thread] += sums[thread + step];
        }
    }
    workgroupBarrier();
    return sums[0];
}
