import { clipboardSentence } from '../../../shared/i18n/sentences.ts'
import type { ClipboardNews } from '../../../shared/model/clipboard-news.ts'
import { shownText } from '../../../shared/paths.ts'
import type { NotificationView, ViewContext } from './notification-view.ts'

/**
 * Returns the notification that replaces the window's toast while the window isn't in front.
 * @param isAutomatic whether automatic mode caused the news. The user can turn off only such notifications
 */
export function clipboardNotification(
  news: ClipboardNews,
  { t }: ViewContext,
  isAutomatic: boolean,
): NotificationView {
  const choice = isAutomatic ? 'done' : null
  if (news.kind !== 'ready') {
    const id = 'id' in news ? news.id : undefined
    return {
      choice,
      title: clipboardSentence(news, t),
      body: '',
      click: id === undefined ? { do: 'open' } : { do: 'showRecord', id },
      buttons: [],
    }
  }
  const { was, now, preset, run, isConfirmed } = news
  const saveAs = { label: t.notification.saveAs, action: { do: 'saveClipboard', run } } as const
  return {
    choice,
    title: t.notification.clipboardReady({ size: t.size(now) }),
    body: isConfirmed
      ? t.notification.clipboardReadyBody({
          size: t.size(was),
          preset: preset === null ? t.preset.basic : shownText(preset),
        })
      : t.clipboard.unconfirmed,
    click: { do: 'showClipboard', news },
    buttons: [
      { label: t.notification.undo, action: { do: 'undoClipboard', run } },
      ...(news.results === 1 ? [saveAs] : []),
    ],
  }
}
