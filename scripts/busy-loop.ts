/** Keeps one core busy for as long as the process that forked it is there. Between two spins it hears of that one's end. */
const SPIN_MS = 50

function spin(): void {
  const end = performance.now() + SPIN_MS
  while (performance.now() < end);
  setImmediate(spin)
}

process.once('disconnect', () => process.exit())
process.send?.('busy')
spin()
