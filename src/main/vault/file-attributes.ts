/** Gives results the dates, the permissions and, where the system has them, the tags and comments of their originals. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, copyFile, lstat, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'

/**
 * Copies attributes from the original. Tags and comments are extended attributes, which Node can't read. On Linux, `cp` copies them;
 * on macOS, a copy of the original includes them and gets the result's content. Without them, the replacement continues: they are
 * kept with the original in the vault.
 * @param result a finished file that no one else uses
 * @throws the file system's error if dates or permissions can't be set
 */
export type CopyAttributes = (original: string, result: string) => Promise<void>

/** Runs work that copies the attributes of many files. */
export async function withAttributes<T>(work: (copy: CopyAttributes) => Promise<T>): Promise<T> {
  const shell = createShell()
  try {
    return await work(async (original, result) => {
      if (process.platform === 'darwin') await copyTagsOnMac(original, result).catch(() => undefined)
      if (process.platform === 'linux') await shell.run(copyCommand(original, result))
      const { mode, atime, mtime } = await lstat(original)
      await chmod(result, mode & 0o777)
      await utimes(result, atime, mtime)
    })
  } finally {
    shell.end()
  }
}

async function copyTagsOnMac(original: string, result: string): Promise<void> {
  const copy = `${result}.attributes`
  try {
    await copyFile(original, copy)
    await writeFile(copy, await readFile(result), { flag: 'r+' })
    await truncate(copy, (await lstat(result)).size)
    await rename(copy, result)
  } finally {
    await rm(copy, { force: true })
  }
}

const copyCommand = (original: string, result: string): string =>
  `cp --attributes-only --preserve=xattr -- ${quoted(original)} ${quoted(result)}`

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

/** One shell for many commands: starting a process from a small shell takes a fraction of the time that it takes from here. */
function createShell() {
  let child: ChildProcess | undefined
  let answer: (() => void) | undefined
  const answered = (): void => answer?.()

  function start(): ChildProcess {
    const started = spawn('sh', [], { stdio: ['pipe', 'pipe', 'ignore'] })
    started.on('error', answered).on('exit', answered)
    started.stdin.on('error', answered)
    started.stdout.on('data', answered)
    return started
  }
  return {
    /** Resolves when the command has ended or the shell can't run it. One command at a time. */
    async run(command: string): Promise<void> {
      child ??= start()
      const { promise, resolve } = Promise.withResolvers<void>()
      answer = resolve
      if (child.exitCode !== null || child.stdin?.writable !== true) resolve()
      else child.stdin.write(`${command}\necho\n`)
      await promise
    },
    end: () => void child?.stdin?.end(),
  }
}
