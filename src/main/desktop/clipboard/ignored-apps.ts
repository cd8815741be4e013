import { isListed } from '../../../shared/model/ignored-apps.ts'
import type { FrontApp } from './front-app.ts'

/**
 * Returns why an image that was just copied must not be processed, as text for the log; undefined if it may be processed. An unknown app
 * counts as listed. If the list is empty, doesn't start a program to find the app.
 */
export async function whyIgnored(
  apps: readonly string[],
  frontApp: Pick<FrontApp, 'names'>,
): Promise<string | undefined> {
  if (apps.length === 0) return undefined
  const names = await frontApp.names()
  if (names === undefined) return 'the app in front is unknown'
  return isListed(apps, names) ? 'the app in front is in the list' : undefined
}
