/**
 * `npm run test:mutation -- MODULE [FILE[:FROM-TO] …]`: Stryker puts small faults into a module's sources, one at a time, and
 * reports those that no test of the module notices. Without a module it mutates all of them, which takes a day.
 */
import { spawnSync } from 'node:child_process'
import { modules } from './modules.ts'

const [wanted, ...files] = process.argv.slice(2)
const chosen = modules.filter(({ name }) => wanted === undefined || name === wanted)
if (chosen.length === 0) {
  console.error(`There is no module ${wanted}. Choose one of: ${modules.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
for (const { name } of chosen) {
  const stryker = 'node_modules/@stryker-mutator/core/bin/stryker.js'
  const { status } = spawnSync(process.execPath, [stryker, 'run', 'test/mutation/stryker.config.mjs'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      MUTATED_MODULE: name,
      ...(files.length === 0 ? {} : { MUTATED_FILES: files.join(',') }),
    },
  })
  if (status !== 0) process.exitCode = 1
}
