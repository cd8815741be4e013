import type { WebPage } from '../../../shared/ipc/contract.ts'

/** Put in by scripts/build.ts; there is none when the sources are run as they are. */
declare const MEDIATRAY_HOME_PAGE: string | null

/** The web pages that the app names. `homePage` is that of whoever published this build. */
export const WEB_PAGES: Readonly<Record<WebPage, string | null>> = {
  homePage: typeof MEDIATRAY_HOME_PAGE === 'undefined' ? null : MEDIATRAY_HOME_PAGE,
  rclone: 'https://rclone.org/install/',
  gnomeTray: 'https://extensions.gnome.org/extension/615/appindicator-support/',
}
