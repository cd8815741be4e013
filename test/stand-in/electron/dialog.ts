/** `dialog`: open until the test answers, or answered at once if it has answered beforehand. */
import type * as Electron from 'electron'
import type { Commands, RecordedDialog } from '../recorded.ts'
import { lacking } from './lacking.ts'

type Answer = Commands['answerDialog']['argument']
type Kind = RecordedDialog['kind']

export function createDialogs(onChange: (dialogs: readonly RecordedDialog[]) => void) {
  const dialogs: RecordedDialog[] = []
  const open = new Map<number, (answer: Answer) => void>()
  const beforehand: Answer[] = []

  const show = (kind: Kind, args: readonly unknown[]) =>
    new Promise<Answer>((resolve) => {
      const options = args.at(-1)
      const number = dialogs.length
      dialogs.push({ number, kind, options: describe(options), answered: false })
      open.set(number, (answer) => {
        const dialog = dialogs[number]
        if (dialog !== undefined) dialogs[number] = { ...dialog, answered: true }
        open.delete(number)
        onChange([...dialogs])
        resolve(answer)
      })
      const index = beforehand.findIndex((answer) => answer.kind === kind)
      const [known] = index === -1 ? [] : beforehand.splice(index, 1)
      if (known !== undefined) open.get(number)?.(known)
      else onChange([...dialogs])
    })

  const dialog = lacking('dialog', {
    async showOpenDialog(...args: unknown[]): Promise<Electron.OpenDialogReturnValue> {
      const { paths } = await show('open', args)
      return { canceled: paths === undefined, filePaths: [...(paths ?? [])] }
    },
    async showSaveDialog(...args: unknown[]): Promise<Electron.SaveDialogReturnValue> {
      const { paths } = await show('save', args)
      return { canceled: paths === undefined, filePath: paths?.[0] ?? '' }
    },
    async showMessageBox(...args: unknown[]): Promise<Electron.MessageBoxReturnValue> {
      const { response, checked } = await show('message', args)
      return { response: response ?? 0, checkboxChecked: checked ?? false }
    },
    showErrorBox(title: string, content: string) {
      dialogs.push({ number: dialogs.length, kind: 'error', options: { title, content }, answered: true })
      onChange([...dialogs])
    },
  } satisfies Pick<
    typeof Electron.dialog,
    'showOpenDialog' | 'showSaveDialog' | 'showMessageBox' | 'showErrorBox'
  >)

  return {
    dialog,
    answer(answer: Answer) {
      const waiting = dialogs.find((entry) => entry.kind === answer.kind && !entry.answered)
      if (waiting === undefined) beforehand.push(answer)
      else open.get(waiting.number)?.(answer)
    },
  }
}

const describe = (options: unknown): Readonly<{ [key: string]: unknown }> =>
  typeof options === 'object' && options !== null
    ? Object.fromEntries(
        Object.entries(options).filter(([, value]) => typeof value !== 'object' || Array.isArray(value)),
      )
    : {}
