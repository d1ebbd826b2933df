import type { TriggerTexts } from "./texts-english.ts";
import type { Condition, DigestTerms, MapValue, Trigger } from "./trigger.queries.ts";

const wordOf = (words: Readonly<Record<string, string>>, code: string): string =>
	Object.hasOwn(words, code) ? (words[code] ?? code) : code;

/** Returns the name of a type of event; an event of the tenant's own programs has only its type. */
export const nameOfEvent = (type: string, { events }: TriggerTexts): string => wordOf(events, type);

type Named = Pick<Trigger, "name" | "event" | "is_platform">;

/** Returns the name of a rule. Rules of the platform are named by their event. */
export const nameOfRule = ({ name, event, is_platform }: Named, words: TriggerTexts): string =>
	is_platform ? nameOfEvent(event, words) : name;

type Recipients = { words: TriggerTexts; people: Trigger["people"]; roleOf: (role: string) => string };

/** Returns who a recipient of a rule is. */
export function describeRecipient(recipient: string, { words, people, roleOf }: Recipients): string {
	const [kind = "", id = ""] = recipient.split(":");
	if (kind === "role") return words.roleOf(roleOf(id));
	if (kind === "user") return people.find(({ user_id }) => user_id === id)?.name ?? words.unknownPerson;
	return wordOf(words.recipientNames, recipient);
}

/** Returns where the value of a variable comes from. */
export function describeValue(value: MapValue, words: TriggerTexts): string {
	if ("value" in value) return words.fixed(String(value.value));
	if ("money" in value) return words.moneyOf(...value.money);
	return "page" in value ? words.pageOf(value.page) : wordOf(words.valueNames, value.from);
}

/** Returns a condition as a sentence. */
export function describeCondition({ path, op, value }: Condition, words: TriggerTexts): string {
	if (op === "exists") return words.existing[value === false ? "false" : "true"](path);
	const { form } = words;
	const text = typeof value === "boolean" ? (value ? form.yes : form.no) : [value].flat().join(", ");
	return words.tests[op](path, text);
}

/** Seconds of each unit of a delay, the largest first. */
export const units = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;
export type Unit = keyof typeof units;

/** Returns when messages are sent after the event. */
export function describeDelay(seconds: number, words: TriggerTexts): string {
	if (seconds === 0) return words.atOnce;
	for (const [unit, length] of Object.entries(units))
		if (seconds % length === 0) return words.after(words.units[unit as Unit](String(seconds / length)));
	return words.atOnce;
}

/** Returns how messages are collected. */
export function describeDigest(terms: DigestTerms | null, words: TriggerTexts): string {
	if (terms === null) return words.noDigest;
	const { every, daily_at, weekly_at, key, items_max } = terms;
	const { digests, intervals, weekdays } = words;
	return [
		every !== undefined && digests.every(wordOf(intervals, every)),
		daily_at !== undefined && digests.daily(daily_at),
		weekly_at !== undefined && digests.weekly(wordOf(weekdays, weekly_at.day), weekly_at.at),
		digests.itemsMax(String(items_max)),
		key !== undefined && digests.key(key),
	]
		.filter((part) => part !== false)
		.join(", ");
}
