import type { Channel } from "../channel.ts";
import type { DigestTerms } from "../digests/digest-wire.ts";
import type { Values } from "../template.ts";

export const operators = ["eq", "ne", "gt", "lt", "in", "exists"] as const;

/** A test of one value of the event. `gt` and `lt` compare numbers, or texts such as dates of RFC 3339. */
export type Condition = { path: string; op: (typeof operators)[number]; value: unknown };

/**
 * Where the value of a variable comes from: a path, a constant, an amount in minor units with its currency,
 * or a page of the console.
 */
export type MapValue =
	| { from: string }
	| { value: string | number }
	| { money: readonly [amount: string, currency: string] }
	| { page: string };

/** The rule by which an event becomes messages. */
export type Trigger = {
	id: string;
	/** A rule of the platform; else the tenant's own. */
	isPlatform: boolean;
	template: string;
	channels: readonly Channel[];
	/** `first`: the next channel is used only if the one before is skipped or has no address. */
	mode: "all" | "first";
	sender: "platform" | "tenant";
	/** `event.customer`, `event.user`, `event.email`, `role:<role>`, `platform` or `user:<id>`. */
	recipients: readonly string[];
	conditions: readonly Condition[];
	map: Readonly<Record<string, MapValue>>;
	delaySeconds: number;
	/** Its messages are collected in digests; null: each is sent. */
	digest: DigestTerms | null;
};

/**
 * What paths begin with: `event.<member of its data>`, `tenant.name`, `recipient.name`, `before.status`,
 * `time`.
 */
export type Context = Readonly<Record<string, unknown>>;

const depthMax = 8;

/** Returns the value at a path; undefined if the path leads nowhere. */
export function readPath(context: Context, path: string): unknown {
	const names = path.split(".");
	if (names.length > depthMax) return undefined;
	return names.reduce<unknown>(
		(value, name) =>
			typeof value === "object" && value !== null && Object.hasOwn(value, name)
				? (value as Context)[name]
				: undefined,
		context,
	);
}

/** Whether all conditions hold. */
export const matches = (conditions: readonly Condition[], context: Context): boolean =>
	conditions.every(({ path, op, value }) => tests[op](readPath(context, path), value));

const isNone = (value: unknown): boolean => value === undefined || value === null;
const isGreater = (one: unknown, other: unknown): boolean =>
	(typeof one === "number" && typeof other === "number" && one > other) ||
	(typeof one === "string" && typeof other === "string" && one > other);

const tests: Readonly<Record<Condition["op"], (found: unknown, wanted: unknown) => boolean>> = {
	eq: (found, wanted) => found === wanted,
	ne: (found, wanted) => found !== wanted,
	gt: isGreater,
	lt: (found, wanted) => isGreater(wanted, found),
	in: (found, wanted) => Array.isArray(wanted) && wanted.includes(found),
	exists: (found, wanted) => isNone(found) !== wanted,
};

/** Formats what is not copied from the context. */
export type Formatters = {
	money(amountMinor: number, currency: string): string;
	page(path: string): string;
};

/** Returns the values of the variables. A variable whose value is missing is left out, and refused later. */
export function resolveMap(map: Trigger["map"], context: Context, formatters: Formatters): Values {
	const entries = Object.entries(map).map(([name, from]) => [name, resolve(from, context, formatters)]);
	return Object.fromEntries(entries.filter(([, value]) => !isNone(value)));
}

function resolve(from: MapValue, context: Context, { money, page }: Formatters): unknown {
	if ("from" in from) return readPath(context, from.from);
	if ("value" in from) return from.value;
	if ("page" in from) return page(from.page);
	const [amount, currency] = from.money.map((path) => readPath(context, path));
	return typeof amount === "number" && typeof currency === "string" ? money(amount, currency) : undefined;
}
