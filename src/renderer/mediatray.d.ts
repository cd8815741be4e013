import type { Bridge } from '../shared/ipc/contract.ts'

declare global {
  interface Window {
    readonly mediatray: Bridge
  }
}
