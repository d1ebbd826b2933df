import { authUserDeleted } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { erasePayer } from "./payer.store.ts";

/** Erases what the intents of a deleted person say about them. */
export const payerConsumers: readonly Consumer[] = [
	defineConsumer(authUserDeleted, (db, { data: { user_id: userId } }) => erasePayer(db, userId)),
];
