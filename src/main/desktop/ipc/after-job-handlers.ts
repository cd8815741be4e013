/** Handles the page's calls about what runs after jobs. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { DirectAction, HookStatus } from '../../../shared/model/hook-state.ts'
import { exampleReport } from '../../../shared/model/job-report.ts'
import type { HookTarget } from '../../hooks/index.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

type AfterJobPage = Pick<Page, 'settings' | 'history' | 'hooks' | 'programs' | 'clipboard' | 't'>

export function afterJobHandlers(page: AfterJobPage): Handlers['afterJob'] {
  const { settings, history, hooks, programs, clipboard, t } = page
  function targetOf(action: DirectAction): HookTarget | null {
    const path = settings.view().afterJob[action]
    return path === null ? null : { action, path }
  }

  function statusOf(action: DirectAction): HookStatus | null {
    const target = targetOf(action)
    if (target === null) return null
    const { isRunning, last } = hooks.status(target)
    return { isRunning, last }
  }

  return {
    status: () => ({ program: statusOf('program'), url: statusOf('url') }),
    chooseProgram: () => programs.choose(t().dialog.chooseHook),
    set(change) {
      programs.requireHooks(change)
      settings.update({ afterJob: { ...settings.view().afterJob, ...change } })
    },
    async test(action) {
      const target = targetOf(action)
      if (target !== null) await hooks.test(target)
    },
    tryNow(action) {
      const target = targetOf(action)
      const job = target === null ? null : hooks.status(target).job
      if (job !== null) history.hooks.again(job, { action, receiver: '' })
    },
    tryAgain: ({ id, ...use }) => history.hooks.again(id, use),
    copyExample: () =>
      clipboard.writeText(JSON.stringify(exampleReport('test-example', new Date()), null, 2)),
    async copyKey() {
      const key = await hooks.signingKey.read()
      if (!key.ok)
        throw new UserFacingError(
          'keychain',
          t().error[key.trouble === 'locked' ? 'keyLocked' : 'keyMissing'],
        )
      await clipboard.writeText(key.value)
    },
  }
}
