import type { Command } from 'commander'
import type { Run } from '../context.ts'
import { t } from '../output/english.ts'

/** The server loads only when it runs, because its library would slow down every other command. */
export function addMcpCommand(program: Command, run: Run): void {
  program.command('mcp').action(async (_options: unknown, command: Command) => {
    const { json, keyStdin } = program.opts<{ json?: boolean; keyStdin?: boolean }>()
    if (json === true || keyStdin === true) command.error(t.usage.error({ why: t.usage.mcpStreams }))
    const { mcp } = await import('./mcp.ts')
    await run(mcp, {})
  })
}
