import type { Command } from 'commander'
import type { Run } from '../context.ts'

/** The server loads only when it runs, because its library would slow down every other command. */
export function addMcpCommand(program: Command, run: Run): void {
  program
    .command('mcp')
    .description('let an AI assistant use Mediatray, as an MCP server over stdin and stdout')
    .action(async (_options: unknown, command: Command) => {
      const { json, keyStdin } = program.opts<{ json?: boolean; keyStdin?: boolean }>()
      if (json === true || keyStdin === true)
        command.error('error: mcp uses stdin and stdout, so it can’t be combined with --json and --key-stdin')
      const { mcp } = await import('./mcp.ts')
      await run(mcp, {})
    })
}
