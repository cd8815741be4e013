/**
 * Identifies one job from its submission until long after the service has removed it. Its outbox entry, its job at the service and
 * its history record share this ID.
 */
export type RecordId = string & { readonly __brand: 'RecordId' }

export const asRecordId = (text: string): RecordId => text as RecordId
