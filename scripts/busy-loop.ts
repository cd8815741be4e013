/** Keeps one core busy until the process that forked it exits. Yields between spins, so that it notices the disconnect. */
const SPIN_MS = 50

function spin(): void {
  const end = performance.now() + SPIN_MS
  while (performance.now() < end);
  setImmediate(spin)
}

process.once('disconnect', () => process.exit())
process.send?.('busy')
spin()
