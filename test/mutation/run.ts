/**
 * `npm run test:mutation -- MODULE [FILE[:FROM-TO] …]`: Stryker puts small faults into a module's sources, one at a time, and
 * reports those that no test of the module notices. Without a module it mutates all of them, which takes a day.
 */
import { spawnSync } from 'node:child_process'
import { modules } from './modules.ts'

/** npm fetches it on first use: 126 packages are too many for a tool that runs rarely. */
const STRYKER = '@stryker-mutator/core@9.6.1'

const [wanted, ...files] = process.argv.slice(2)
const chosen = modules.filter(({ name }) => wanted === undefined || name === wanted)
if (chosen.length === 0) {
  console.error(`There is no module ${wanted}. Choose one of: ${modules.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
for (const { name } of chosen) {
  const argv = [
    'exec',
    '--yes',
    `--package=${STRYKER}`,
    '--',
    'stryker',
    'run',
    'test/mutation/stryker.config.mjs',
  ]
  const { status } = spawnSync('npm', argv, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      MUTATED_MODULE: name,
      ...(files.length === 0 ? {} : { MUTATED_FILES: files.join(',') }),
    },
  })
  if (status !== 0) process.exitCode = 1
}
