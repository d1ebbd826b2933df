/** The filters that the address of the list of payments can have. */
export const intentFilterNames = ["status", "from", "to", "order_id", "operation_id"] as const;
export type IntentFilterName = (typeof intentFilterNames)[number];
