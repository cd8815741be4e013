/** What a user does with an app outside its windows, on the stand-in and on the real runtime. */
import type { Argument, CommandName, Recorded, Result } from './recorded.ts'

type Tell = <Name extends CommandName>(name: Name, argument: Argument<Name>) => Promise<Result<Name> | void>

/** @param recorded returns the app's current recorded state */
export const userActs = (tell: Tell, recorded: () => Recorded) => ({
  tray: {
    /** Clicks a menu item by a path of labels or ids. */
    choose: (...path: string[]) => tell('clickMenu', { menu: 'tray', path }),
    click: () => tell('trayEvent', { event: 'click', tray: 0 }),
    clickBalloon: () => tell('trayEvent', { event: 'balloon-click', tray: 0 }),
    rightClick: () => tell('trayEvent', { event: 'right-click', tray: 0 }),
    dropFiles: (paths: readonly string[]) => tell('trayDrop', { paths, tray: 0 }),
  },
  menu: {
    choose: (...path: string[]) => tell('clickMenu', { menu: 'application', path }),
    chooseDock: (...path: string[]) => tell('clickMenu', { menu: 'dock', path }),
  },
  notifications: {
    all: () => recorded().notifications,
    click: (number: number) => tell('notificationClick', number),
    action: (number: number, action: number) => tell('notificationAction', { number, action }),
  },
  /** If the answer is given before the dialog opens, it is stored until then. */
  dialogs: {
    all: () => recorded().dialogs,
    answerOpen: (paths: readonly string[]) => tell('answerDialog', { kind: 'open', paths }),
    answerSave: (path: string) => tell('answerDialog', { kind: 'save', paths: [path] }),
    answerMessage: (response: number) => tell('answerDialog', { kind: 'message', response }),
    dismiss: (kind: 'open' | 'save') => tell('answerDialog', { kind }),
  },
  shellCalls: () => recorded().shellCalls,
  pressShortcut: (accelerator: string) => tell('shortcut', accelerator),
})
