import type { Channel } from "../../templates/draft/templates.queries.ts";
import { type Unit, units } from "../state/describe-trigger.ts";
import {
	type Condition,
	type DigestTerms,
	intervals,
	type MapValue,
	type Operator,
	type Trigger,
	type TriggerTerms,
	weekdays,
} from "../state/trigger.queries.ts";

/** What a variable of the template is filled with. */
export const sources = ["path", "recipient", "tenant", "constant", "money"] as const;
export type Source = (typeof sources)[number];
export type VariableDraft = { source: Source; path: string; currency: string; text: string };

export const valueKinds = ["text", "number", "boolean"] as const;
export type ValueKind = (typeof valueKinds)[number];
export type ConditionDraft = { key: number; path: string; op: Operator; kind: ValueKind; value: string };

export const digestTimes = ["every", "daily_at", "weekly_at"] as const;
export type DigestDraft = {
	isOn: boolean;
	key: string;
	time: (typeof digestTimes)[number];
	every: string;
	day: string;
	at: string;
	itemsMax: string;
};

export type Person = { user_id: string; name: string };

/** What is typed in the form of a rule. */
export type TriggerDraft = {
	name: string;
	event: string;
	template: string;
	/** In the order in which the mode `first` tries them. */
	channels: readonly Channel[];
	mode: TriggerTerms["mode"];
	/** `event.customer`, `event.user` and `event.email`. */
	recipients: readonly string[];
	roles: readonly string[];
	people: readonly Person[];
	conditions: readonly ConditionDraft[];
	/** By variable; those that were not touched have the value of `suggestVariable`. */
	variables: Readonly<Record<string, VariableDraft>>;
	delay: { count: string; unit: Unit };
	digest: DigestDraft;
	isEnabled: boolean;
};

const emptyVariable: VariableDraft = { source: "path", path: "", currency: "", text: "" };
const emptyDigest: DigestDraft = {
	...{ isOn: false, key: "", time: "every", every: "1h", day: weekdays[0], at: "08:00", itemsMax: "20" },
};

export const emptyDraft: TriggerDraft = {
	...{ name: "", event: "", template: "", channels: [], mode: "all" },
	...{ recipients: [], roles: [], people: [], conditions: [], variables: {} },
	...{ delay: { count: "0", unit: "minutes" }, digest: emptyDigest, isEnabled: true },
};

/** Returns what the form shows of a rule. */
export function draftOf(trigger: Trigger): TriggerDraft {
	const { name, event, template, channels, mode, recipients, conditions, map, people } = trigger;
	const idsOf = (kind: string) =>
		recipients.flatMap((one) => (one.startsWith(`${kind}:`) ? [one.slice(kind.length + 1)] : []));
	return {
		...{ name, event, template, channels, mode },
		recipients: recipients.filter((one) => !one.includes(":")),
		roles: idsOf("role"),
		people: idsOf("user").map(
			(id) => people.find(({ user_id }) => user_id === id) ?? { user_id: id, name: id },
		),
		conditions: conditions.map((condition, key) => ({ key, ...conditionDraftOf(condition) })),
		variables: Object.fromEntries(Object.entries(map).map(([one, value]) => [one, variableDraftOf(value)])),
		delay: delayOf(trigger.delay_seconds),
		digest: digestDraftOf(trigger.digest),
		isEnabled: trigger.enabled,
	};
}

function conditionDraftOf({ path, op, value }: Condition): Omit<ConditionDraft, "key"> {
	if (Array.isArray(value)) return { path, op, kind: "text", value: value.join("\n") };
	const kind = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";
	return { path, op, kind, value: String(value) };
}

const ownPaths: Readonly<Partial<Record<Source, string>>> = {
	recipient: "recipient.name",
	tenant: "tenant.name",
};

function variableDraftOf(value: MapValue): VariableDraft {
	if ("value" in value) return { ...emptyVariable, source: "constant", text: String(value.value) };
	if ("money" in value)
		return { ...emptyVariable, source: "money", path: value.money[0], currency: value.money[1] };
	const path = "from" in value ? value.from : "";
	const source = sources.find((one) => ownPaths[one] === path);
	return source === undefined ? { ...emptyVariable, path } : { ...emptyVariable, source };
}

function delayOf(seconds: number): TriggerDraft["delay"] {
	if (seconds === 0) return emptyDraft.delay;
	const found = Object.entries(units).find(([, length]) => seconds % length === 0);
	const [unit, length] = found ?? ["seconds", 1];
	return { count: String(seconds / length), unit: unit as Unit };
}

function digestDraftOf(terms: DigestTerms | null): DigestDraft {
	if (terms === null) return emptyDigest;
	const { key = "", every, daily_at, weekly_at, items_max } = terms;
	return {
		...{ isOn: true, key, itemsMax: String(items_max) },
		time: every !== undefined ? "every" : daily_at !== undefined ? "daily_at" : "weekly_at",
		every: every ?? intervals[2],
		day: weekly_at?.day ?? weekdays[0],
		at: weekly_at?.at ?? daily_at ?? emptyDigest.at,
	};
}

/** Returns what an untouched variable is filled with: the value of the event with its name, if it has one. */
export function suggestVariable(name: string, paths: readonly string[]): VariableDraft {
	if (paths.includes(`event.${name}`)) return { ...emptyVariable, path: `event.${name}` };
	if (name === "name") return { ...emptyVariable, source: "recipient" };
	if (name === "tenant_name") return { ...emptyVariable, source: "tenant" };
	return emptyVariable;
}

/** A template as far as a rule needs it. */
export type FilledTemplate = {
	variables: ReadonlyArray<{ name: string; kind: string }>;
	channels: readonly Channel[];
};

type Around = { template: FilledTemplate; paths: readonly string[] };

/** Returns the body of the request. The draft must be without problems. */
export function readDraft(draft: TriggerDraft, { template, paths }: Around): TriggerTerms {
	const { name, event, mode, recipients, roles, people, conditions, delay, digest } = draft;
	return {
		...{ name: name.trim(), event: event.trim(), template: draft.template, mode },
		channels: draft.channels.filter((channel) => template.channels.includes(channel)),
		recipients: [
			...recipients,
			...roles.map((role) => `role:${role}`),
			...people.map(({ user_id }) => `user:${user_id}`),
		],
		conditions: conditions.map(readCondition),
		map: Object.fromEntries(
			template.variables.map((one) => [
				one.name,
				readVariable(draft.variables[one.name] ?? suggestVariable(one.name, paths), one.kind),
			]),
		),
		delay_seconds: Number(delay.count) * units[delay.unit],
		digest: digest.isOn ? readDigest(digest) : null,
		enabled: draft.isEnabled,
	};
}

const roots: ReadonlySet<string> = new Set(["event", "time", "tenant", "recipient", "before"]);

/** Returns a path as the service reads it: a name without a root is a member of the event. */
export function readPath(text: string): string {
	const path = text.trim();
	return path === "" || roots.has(path.split(".")[0] ?? "") ? path : `event.${path}`;
}

/** The distinct lines of a list, without empty ones. */
export const linesIn = (text: string): string[] => [
	...new Set(
		text
			.split("\n")
			.map((line) => line.trim())
			.filter((line) => line !== ""),
	),
];

function readCondition({ path, op, kind, value }: ConditionDraft): Condition {
	return { path: readPath(path), op, value: readValue({ op, kind, value }) };
}

function readValue({ op, kind, value }: Omit<ConditionDraft, "key" | "path">): Condition["value"] {
	if (op === "in") return linesIn(value);
	if (op === "exists" || kind === "boolean") return value !== "false";
	return kind === "number" ? Number(value) : value;
}

function readVariable({ source, path, currency, text }: VariableDraft, kind: string): MapValue {
	if (source === "money") return { money: [readPath(path), readPath(currency)] };
	if (source === "constant") return { value: kind === "number" ? Number(text) : text };
	return { from: ownPaths[source] ?? readPath(path) };
}

function readDigest({ key, time, every, day, at, itemsMax }: DigestDraft): DigestTerms {
	return {
		...(key.trim() !== "" && { key: readPath(key) }),
		...(time === "every" && { every }),
		...(time === "daily_at" && { daily_at: at }),
		...(time === "weekly_at" && { weekly_at: { day, at } }),
		items_max: Number(itemsMax),
	};
}
