import { units } from "../state/describe-trigger.ts";
import type { TriggerTexts } from "../state/texts-english.ts";
import {
	type ConditionDraft,
	type FilledTemplate,
	linesIn,
	readPath,
	suggestVariable,
	type TriggerDraft,
	type VariableDraft,
} from "./trigger-draft.ts";

/** What is wrong in a field. */
export type Problem = { field: string; message: string };

type Around = { template: FilledTemplate | undefined; paths: readonly string[]; words: TriggerTexts["form"] };

const delaySecondsMax = 5 * units.days;
/** The bounds of the service. */
const itemsOfDigest = { from: 2, to: 50 };
const linesMax = 50;
const textMax = 200;
const recipientsMax = 20;

const eventForm = /^(isp|custom)(\.[a-z][a-z0-9_]{0,39}){1,4}$/;
const pathForm = /^[a-z][a-z0-9_]{0,39}(\.[A-Za-z0-9_]{1,60}){0,7}$/;
const eventPathForm = /^event(\.[A-Za-z0-9_]{1,60}){1,7}$/;
const timeForm = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Returns what is wrong in a draft, in the order of the form. */
export function findProblems(draft: TriggerDraft, { template, paths, words }: Around): Problem[] {
	return [
		...(draft.name.trim() === "" ? [{ field: "name", message: words.nameMissing }] : []),
		...checkEvent(draft.event.trim(), words),
		...(draft.template === "" ? [{ field: "template", message: words.templateMissing }] : []),
		...(template === undefined ? [] : checkChannels(draft, { template, words })),
		...checkRecipients(draft, words),
		...(template?.variables ?? []).flatMap(({ name, kind }) =>
			checkVariable(draft.variables[name] ?? suggestVariable(name, paths), { name, kind, words }),
		),
		...draft.conditions.flatMap((condition, place) => checkCondition(condition, { place, words })),
		...checkDelay(draft, words),
		...(draft.digest.isOn ? checkDigest(draft, words) : []),
	];
}

type Words = Around["words"];

function checkEvent(event: string, words: Words): Problem[] {
	if (event === "") return [{ field: "event", message: words.eventMissing }];
	const isOwn = event.startsWith("custom") || event.startsWith("isp");
	return isOwn && !eventForm.test(event) ? [{ field: "event", message: words.eventWrong }] : [];
}

function checkChannels(
	{ channels, digest }: TriggerDraft,
	{ template, words }: { template: FilledTemplate; words: Words },
): Problem[] {
	const chosen = channels.filter((channel) => template.channels.includes(channel));
	if (chosen.length === 0) return [{ field: "channels", message: words.channelsMissing }];
	return digest.isOn && chosen.some((channel) => channel !== "email" && channel !== "in_app")
		? [{ field: "channels", message: words.digestChannels }]
		: [];
}

function checkRecipients({ recipients, roles, people, digest }: TriggerDraft, words: Words): Problem[] {
	const count = recipients.length + roles.length + people.length;
	if (count === 0) return [{ field: "recipients", message: words.recipientsMissing }];
	if (count > recipientsMax)
		return [{ field: "recipients", message: words.recipientsTooMany(recipientsMax) }];
	return digest.isOn && recipients.some((one) => one !== "event.user")
		? [{ field: "recipients", message: words.digestRecipients }]
		: [];
}

type Variable = { name: string; kind: string; words: Words };

function checkVariable(
	{ source, path, currency, text }: VariableDraft,
	{ name, kind, words }: Variable,
): Problem[] {
	const field = `map.${name}`;
	if (source === "constant") {
		if (text.trim() === "") return [{ field, message: words.valueMissing }];
		return kind === "number" && !Number.isFinite(Number(text)) ? [{ field, message: words.numberWrong }] : [];
	}
	const wrong = (one: string, place: string): Problem[] =>
		isPath(one, mapRoots) ? [] : [{ field: place, message: words.pathWrong }];
	if (source === "path") return wrong(path, field);
	return source === "money" ? [...wrong(path, field), ...wrong(currency, `${field}.currency`)] : [];
}

const mapRoots: ReadonlySet<string> = new Set(["event", "time", "tenant", "recipient"]);
const conditionRoots: ReadonlySet<string> = new Set(["event", "before", "time"]);

function isPath(text: string, roots: ReadonlySet<string>): boolean {
	const path = readPath(text);
	return pathForm.test(path) && roots.has(path.split(".")[0] ?? "") && path !== "event";
}

function checkCondition(
	{ path, op, kind, value }: ConditionDraft,
	{ place, words }: { place: number; words: Words },
): Problem[] {
	const field = `conditions.${place}`;
	const wrongPath = isPath(path, conditionRoots)
		? []
		: [{ field: `${field}.path`, message: words.conditionPathWrong }];
	const message = valueProblem({ op, kind, value }, words);
	return [...wrongPath, ...(message === undefined ? [] : [{ field: `${field}.value`, message }])];
}

function valueProblem(
	{ op, kind, value }: Omit<ConditionDraft, "key" | "path">,
	words: Words,
): string | undefined {
	if (op === "exists") return undefined;
	const lines = op === "in" ? linesIn(value) : [value];
	if (lines.length > linesMax || lines.some((line) => line.length > textMax)) return words.valueTooLong;
	if (op === "in") return lines.length === 0 ? words.valueMissing : undefined;
	if (kind !== "number") return undefined;
	return value.trim() === "" || !Number.isFinite(Number(value)) ? words.numberWrong : undefined;
}

function checkDelay({ delay: { count, unit } }: TriggerDraft, words: Words): Problem[] {
	const isRight = /^\d{1,7}$/.test(count.trim()) && Number(count) * units[unit] <= delaySecondsMax;
	return isRight ? [] : [{ field: "delay_seconds", message: words.delayWrong }];
}

function checkDigest({ digest: { key, time, at, itemsMax } }: TriggerDraft, words: Words): Problem[] {
	const { from, to } = itemsOfDigest;
	const isRight = /^\d{1,2}$/.test(itemsMax.trim()) && Number(itemsMax) >= from && Number(itemsMax) <= to;
	return [
		...(key.trim() === "" || eventPathForm.test(readPath(key))
			? []
			: [{ field: "digest.key", message: words.keyWrong }]),
		...(time === "every" || timeForm.test(at) ? [] : [{ field: "digest.at", message: words.atWrong }]),
		...(isRight ? [] : [{ field: "digest.items_max", message: words.itemsMaxWrong(from, to) }]),
	];
}
