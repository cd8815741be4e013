export type UpdateFailure =
  /** Something that is not from us, or was damaged on its way. Nothing of it was installed. */
  'badSignature' | 'notReachable' | 'other'

/** Where the app stands with a new version of itself. */
export type UpdateState =
  /** This build was made without a place where newer ones are published: nobody is ever asked. */
  | { readonly status: 'noSource' }
  /** There is such a place, but nothing that a newer version could be held against. */
  | { readonly status: 'unsigned' }
  /** The portable edition for Windows, which is exchanged by hand. */
  | { readonly status: 'portable' }
  | { readonly status: 'idle' }
  | { readonly status: 'checking' }
  /** It is downloaded when there is no work. */
  | { readonly status: 'available'; readonly version: string }
  | { readonly status: 'downloading'; readonly version: string; /** 0..1 */ readonly share: number }
  | { readonly status: 'ready'; readonly version: string }
  | {
      readonly status: 'failed'
      readonly reason: UpdateFailure
      /** In the words of the updater. */
      readonly detail: string
    }
