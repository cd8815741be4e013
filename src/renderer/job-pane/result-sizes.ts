import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ReadonlySignal } from '@preact/signals'
import { useApp } from '../store/app.ts'

/** Bytes by path; null for a file that is not there. What is missing has not been looked at yet. */
export type Sizes = ReadonlyMap<string, number | null>

const AT_ONCE = 5_000

/** Looks at the files themselves, again whenever the window comes to the front. */
export function useSizes(paths: readonly string[]): ReadonlySignal<Sizes> {
  const app = useApp()
  const sizes = useSignal<Sizes>(new Map())
  const key = paths.join('\n')
  useEffect(() => {
    let over = false
    const look = async (): Promise<void> => {
      const wanted = paths.slice(0, AT_ONCE)
      if (wanted.length === 0) return
      // A file that can't be looked at simply shows no size; that is no reason for a message.
      const found = await app.bridge.files.sizes([...wanted]).catch(() => null)
      if (found === null || over) return
      sizes.value = new Map(wanted.map((path, index) => [path, found[index] ?? null]))
    }
    const again = (): void => void look()
    again()
    addEventListener('focus', again)
    return () => {
      over = true
      removeEventListener('focus', again)
    }
  }, [key])
  return sizes
}
