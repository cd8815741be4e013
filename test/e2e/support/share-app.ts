/** One app for several tests, because a start takes longer than most of them. */
import { afterAll } from 'vitest'
import { startWith, type RunningApp, type StartOptions } from './start-app.ts'
import { startStubService, type StubService } from './stub-service.ts'

/**
 * Returns a function that starts something for all tests that can share it. Call the function in a test: it skips the test if real
 * Electron can't have these options.
 */
export function share<T extends AsyncDisposable>(start: () => Promise<T>): () => Promise<T> {
  let started: T | undefined
  afterAll(() => started?.[Symbol.asyncDispose]())
  return async () => (started ??= await start())
}

type AppWithService = AsyncDisposable & { readonly app: RunningApp; readonly service: StubService }

export const shareApp = (options: StartOptions): (() => Promise<AppWithService>) =>
  share(async () => {
    const service = await startStubService()
    const app = await startWith(service, options)
    return {
      app,
      service,
      async [Symbol.asyncDispose]() {
        await app[Symbol.asyncDispose]()
        await service[Symbol.asyncDispose]()
      },
    }
  })
