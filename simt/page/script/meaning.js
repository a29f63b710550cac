// What steps mean together, found in one pass over a run: which words a write combines, whose update it loses, and
// which accesses to shared memory one instruction of a warp makes.

/// A thread's write combines what it has read since its write before. It loses the update of another thread that has
/// written the same word since it read it.
function findUpdates() {
  const threads = new Map(), lastWrites = new Map();
  turns.forEach((steps, turn) => {
    for (const step of steps) {
      if (step.array < 0) continue;
      const key = keyOf(step);
      if (!threads.has(step.thread)) threads.set(step.thread, {recent: new Map(), reads: new Map()});
      const {recent, reads} = threads.get(step.thread);
      if (step.kind === READ) {
        recent.set(key, step.before[0]);
        reads.set(key, {turn, held: step.before[0]});
      } else if (step.kind === WRITE || step.kind === ATOMIC) {
        const read = reads.get(key), write = lastWrites.get(key);
        if (step.kind === WRITE && read && write && write.thread !== step.thread && write.turn > read.turn && recent.has(key)) {
          step.lost = {thread: write.thread, held: read.held};
        }
        step.sources = [...recent].slice(0, 16);
        recent.clear();
        if (step.kind === WRITE || String(step.before) !== String(step.after)) lastWrites.set(key, {turn, thread: step.thread});
      }
    }
  });
}

/// The accesses to shared memory that one instruction of a warp makes, with the degree of their bank conflict: words that
/// they want of one bank. Lanes whose steps the page leaves out are counted.
function findRequests() {
  const requests = run.requests.map(([lanes, degree, bank]) => ({lanes, degree, bank, steps: []}));
  for (const step of turns.flat()) {
    step.request = requests[step.request] ?? null;
    step.request?.steps.push(step);
  }
}
