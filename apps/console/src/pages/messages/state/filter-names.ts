/** The filters that the address of the feed can have. */
export const filterNames = [
	...(["status", "channel", "template", "category", "source", "outlet"] as const),
	...(["user_id", "address", "label", "from", "to"] as const),
] as const;
export type MessageFilterName = (typeof filterNames)[number];
