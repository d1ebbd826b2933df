import type { OutletFilter } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";
import type { Requester } from "../message.ts";

/** Which deliveries are sent again; an undefined member does not narrow it. */
export type RedriveFilter = {
	status: readonly DeliveryStatus[];
	channel?: Channel;
	template?: string;
	category?: string;
	error_code?: string;
	provider_id?: string;
	message_id?: string;
	/** When they ended, as RFC 3339. */
	from?: string;
	to?: string;
};

/** A request to send every delivery of a filter again, and how far it is. */
export type Redrive = {
	id: string;
	filter: RedriveFilter;
	outlets: OutletFilter;
	mayDuplicate: boolean;
	requester: Requester;
	isUnlimited: boolean;
	status: "running" | "finished" | "stopped";
	/** Why it was stopped: the code of the refusal. */
	reason: string | null;
	/** Deliveries of the filter when it was requested. */
	matched: number;
	/** Deliveries that were left out because their outcome is unknown. */
	leftOut: number;
	/** Accepted as new messages, and refused by the code of the refusal. */
	counts: Readonly<Record<string, number>>;
	/** The place up to which deliveries are worked on. */
	after: Place;
	createdAt: Date;
	updatedAt: Date;
	finishedAt: Date | null;
};

/** Deliveries are in the order of their ends. */
export type Place = { endedAt: Date | "-infinity"; id: string };

/** A redrive has at most this many deliveries. */
export const redriveMax = 10_000;
/** A tenant can have at most this many redrives that are not finished. */
export const runningMax = 5;
