import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../../services/service-access.queries.ts";
import type { Channel } from "../../templates/draft/templates.queries.ts";

export const operators = ["eq", "ne", "gt", "lt", "in", "exists"] as const;
export type Operator = (typeof operators)[number];

/** A test of one value of the event. */
export type Condition = { path: string; op: Operator; value: string | number | boolean | string[] };

/** Where the value of a variable comes from. Only rules of the platform have a page of the console. */
export type MapValue =
	| { from: string }
	| { value: string | number }
	| { money: readonly [amount: string, currency: string] }
	| { page: string };

export const intervals = ["15m", "30m", "1h", "2h", "4h", "8h", "12h", "24h"] as const;
export const weekdays = [
	...(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const),
] as const;

/** How messages are collected; one of `every`, `daily_at` and `weekly_at` is set. */
export type DigestTerms = {
	key?: string;
	every?: string;
	daily_at?: string;
	weekly_at?: { day: string; at: string };
	items_max: number;
};

/** What a tenant chooses of its rule. */
export type TriggerTerms = {
	name: string;
	event: string;
	template: string;
	channels: Channel[];
	mode: "all" | "first";
	recipients: string[];
	conditions: Condition[];
	map: Record<string, MapValue>;
	delay_seconds: number;
	enabled: boolean;
	digest: DigestTerms | null;
};

export type RunStatus = "waiting" | "sent" | "skipped" | "failed";

export type Trigger = TriggerTerms & {
	id: string;
	is_platform: boolean;
	/** Those who are recipients as `user:<id>`. */
	people: Array<{ user_id: string; name: string }>;
	last_run: { status: RunStatus; messages: number; created_at: string } | null;
};

/** Why a run sends no message on a channel. */
export type Note = { channel?: Channel; reason: string; field?: string; recipients?: number };

/** What became of an event by a rule. */
export type Run = {
	id: string;
	event_id: string;
	event: string;
	status: RunStatus;
	messages: number;
	/** At most five of its messages. */
	first_messages: Array<{ id: string; channel: Channel; statuses: string[] }>;
	/** Whether it failed and its event is stored. */
	replayable: boolean;
	notes: Note[];
	due_at: string;
	created_at: string;
	finished_at: string | null;
};

/** A digest that still collects messages. */
export type DigestWindow = {
	id: string;
	trigger_id: string | null;
	trigger_name: string | null;
	channel: Channel;
	user_id: string;
	user_name: string;
	key: string;
	items: number;
	items_max: number;
	opened_at: string;
	due_at: string;
};

/** A known type of event, with the JSON Schema of its data. */
export type EventType = { type: string; data: unknown };

/** All rules of a tenant with their runs and digests are reloaded after a change. */
export const triggersKey = ({ slug }: Pick<ServiceScope, "slug">) => ["triggers", slug];

export const triggersAddress = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/triggers`;
export const digestsAddress = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/digests`;
const addressOf = (platform: Platform, scope: ServiceScope, id: string) =>
	`${triggersAddress(platform, scope)}/${encodeURIComponent(id)}`;
export const runsAddress = (platform: Platform, scope: ServiceScope, id: string) =>
	`${addressOf(platform, scope, id)}/runs`;

export function triggerQuery(platform: Platform, scope: ServiceScope, id: string) {
	return queryOptions({
		queryKey: [...triggersKey(scope), "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Trigger>(addressOf(platform, scope, id), { outlet: scope.outlet, signal }),
	});
}

/** The known types of events to which rules can listen. They change with a release only. */
export function eventTypesQuery(platform: Platform, scope: ServiceScope) {
	return queryOptions({
		queryKey: [...triggersKey(scope), "event types"],
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, scope)}/event-types`;
			const options = { outlet: scope.outlet, signal };
			return (await platform.client.call<{ items: EventType[] }>(address, options)).items;
		},
		staleTime: Number.POSITIVE_INFINITY,
	});
}

export const createTrigger = (platform: Platform, scope: ServiceScope, body: TriggerTerms) =>
	platform.client.call<Trigger>(triggersAddress(platform, scope), {
		...{ method: "POST", body, outlet: scope.outlet },
	});

type One = { scope: ServiceScope; id: string };

export const changeTrigger = (platform: Platform, { scope, id }: One, body: Partial<TriggerTerms>) =>
	platform.client.call<Trigger>(addressOf(platform, scope, id), {
		...{ method: "PATCH", body, outlet: scope.outlet },
	});

export const removeTrigger = (platform: Platform, { scope, id }: One) =>
	platform.client.call<unknown>(addressOf(platform, scope, id), { method: "DELETE", outlet: scope.outlet });

/** Runs a rule again for an event whose run failed. */
export const replayRun = (platform: Platform, { scope, id }: One, eventId: string) =>
	platform.client.call<unknown>(`${addressOf(platform, scope, id)}/replay`, {
		...{ method: "POST", body: { event_id: eventId }, outlet: scope.outlet },
	});

/** Sends a digest now instead of at its time. */
export const sendDigest = (platform: Platform, { scope, id }: One) =>
	platform.client.call<unknown>(`${digestsAddress(platform, scope)}/${encodeURIComponent(id)}/send-now`, {
		...{ method: "POST", outlet: scope.outlet },
	});
