/** Minimal commands without our code. Their times are the floors for our commands. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a number of bare processes in a row, the last of which writes the photo's result to the output folder. */
type Bare = (processes: number, photo: string, output: string) => Promise<unknown>

/** Creates a package with a script that starts the bare processes, like our own package with its command. */
export async function barePackage(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<Readonly<Record<'throughNpm' | 'installed', Bare>>> {
  const file = path.join(import.meta.dirname, 'bare-processes.mjs')
  const cwd = path.join(folder, 'bare')
  await mkdir(cwd)
  await writeFile(
    path.join(cwd, 'package.json'),
    JSON.stringify({ scripts: { cli: `"${process.execPath}" "${file}"` } }),
  )
  const argsOf = (...[processes, photo, output]: Parameters<Bare>) => [
    String(processes),
    photo,
    path.join(output, 'small.jpg'),
  ]
  return {
    throughNpm: (...chain) =>
      execute('npm', ['run', '--silent', 'cli', '--', ...argsOf(...chain)], { cwd, env }),
    installed: (...chain) =>
      execute(process.execPath, [file, ...argsOf(...chain)], {
        env: { ...env, NODE_COMPILE_CACHE: undefined },
      }),
  }
}

/** Runs a minimal server in this process, and calls `use` with the Node arguments of a client that asks it. */
export async function withBareOwner<T>(
  folder: string,
  use: (argv: readonly string[]) => Promise<T>,
): Promise<T> {
  const [socket, key] = [path.join(folder, 'bare.sock'), path.join(folder, 'bare.key')]
  await writeFile(key, 'key')
  await using server = createServer((client) => client.once('data', () => client.end('Nothing found.\n')))
  await once(server.listen(socket), 'listening')
  return await use([path.join(import.meta.dirname, 'bare-client.mjs'), socket, key])
}
