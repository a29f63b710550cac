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

/// Shared memory has 32 banks of words of 4 bytes. Lanes that use different words of a bank wait for one another;
/// elements of 8 bytes are served half a warp at a time.
function conflictOf(steps) {
  const banks = new Map();
  for (const step of steps) {
    const array = run.arrays[step.array], byte = array.start + step.first * array.element;
    const half = array.element === 8 ? Math.floor(indexOf(step.thread) % 32 / 16) : 0;
    for (let word = Math.floor(byte / 4); word * 4 < byte + array.element * step.count; ++word) {
      const bank = `${half},${word % 32}`;
      banks.set(bank, (banks.get(bank) ?? new Set()).add(word));
    }
  }
  let degree = 0, bank = 0;
  for (const [name, words] of banks) if (words.size > degree) degree = words.size, bank = Number(name.split(",")[1]);
  return {lanes: steps.length, degree, bank, steps};
}

/// In lock step the lanes of a turn act together. Of independent threads the k-th accesses of a warp's lanes at one line
/// are taken for one instruction, as a GPU would execute them.
function findRequests() {
  const requests = new Map(), counts = new Map();
  turns.forEach((steps, turn) => {
    for (const step of steps) {
      if (step.array < 0 || step.kind > WRITE || run.arrays[step.array].space !== "shared" || run.arrays[step.array].element > 8) continue;
      const line = `${step.file},${step.line},${step.kind},${step.array}`, lane = `${step.thread},${line}`;
      const count = counts.get(lane) ?? 0;
      counts.set(lane, count + 1);
      const key = run.model === "lock_step" ? `${turn},${line}` : `${warpOf(step.thread)},${line},${count}`;
      requests.set(key, [...(requests.get(key) ?? []), step]);
    }
  });
  for (const steps of requests.values()) {
    const request = conflictOf(steps);
    for (const step of steps) step.request = request;
  }
}
