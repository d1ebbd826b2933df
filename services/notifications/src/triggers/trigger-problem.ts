import { isCritical, type TemplateVersion } from "../template.ts";
import type { PublishedTemplate } from "../templates/template.store.ts";
import { mayTenantListen } from "./listening.ts";
import type { Trigger } from "./trigger.ts";

/** What a tenant chooses of its rule. */
export type TriggerTerms = Pick<
	Trigger,
	"template" | "channels" | "mode" | "recipients" | "conditions" | "map" | "delaySeconds" | "digest"
> & { name: string; eventType: string; isEnabled: boolean };

/** What is wrong with a rule and where. Reasons are public: never rename one. */
export type TriggerProblem = {
	field: string;
	reason:
		| "event_forbidden"
		| "template_unknown"
		| "template_forbidden"
		| "channel_unsupported"
		| "digest_time"
		| "digest_channel"
		| "digest_recipient"
		| "digest_forbidden"
		| "path_forbidden"
		| "value_invalid"
		| "variable_missing"
		| "variable_unknown";
	message: string;
};

/** Roots of the paths of conditions. A condition is tested before the recipients are known. */
const conditionRoots: ReadonlySet<string> = new Set(["event", "before", "time"]);
const mapRoots: ReadonlySet<string> = new Set(["event", "time", "tenant", "recipient"]);

/** Returns what is wrong with a tenant's rule; undefined if nothing is. `template` is the one in force. */
export function findTriggerProblem(
	terms: TriggerTerms,
	found: PublishedTemplate | undefined,
): TriggerProblem | undefined {
	if (!mayTenantListen(terms.eventType))
		return {
			field: "event",
			reason: "event_forbidden",
			message: "Rules cannot listen to this type of event.",
		};
	if (found === undefined)
		return { field: "template", reason: "template_unknown", message: "There is no template with this path." };
	const { template } = found;
	if (template.category === "security")
		return {
			field: "template",
			reason: "template_forbidden",
			message: "Only the platform sends messages of the category security.",
		};
	const offered = new Set(template.contents.map(({ channel }) => channel));
	const missing = terms.channels.findIndex((channel) => !offered.has(channel));
	if (missing >= 0)
		return {
			field: `channels.${missing}`,
			reason: "channel_unsupported",
			message: "The template has no content for this channel.",
		};
	return (
		findDigestProblem(terms, template) ??
		findConditionProblem(terms) ??
		findMapProblem(
			terms,
			template.variables.map(({ name }) => name),
		)
	);
}

/** A digest leads to the inbox, so it is for people of the tenant. It stores texts, so it has no secrets. */
function findDigestProblem(
	{ digest, channels, recipients }: TriggerTerms,
	{ category, variables }: Pick<TemplateVersion, "category" | "variables">,
): TriggerProblem | undefined {
	if (digest === null) return undefined;
	const times = [digest.every, digest.daily_at, digest.weekly_at].filter((time) => time !== undefined);
	if (times.length !== 1)
		return {
			field: "digest",
			reason: "digest_time",
			message: "Set exactly one of every, daily_at and weekly_at.",
		};
	const channel = channels.findIndex((one) => one !== "email" && one !== "in_app");
	if (channel >= 0)
		return {
			field: `channels.${channel}`,
			reason: "digest_channel",
			message: "Digests are sent by e-mail and to the inbox only.",
		};
	const recipient = recipients.findIndex((one) => one === "event.customer" || one === "event.email");
	if (recipient >= 0)
		return {
			field: `recipients.${recipient}`,
			reason: "digest_recipient",
			message: "Digests are for people of the organisation only.",
		};
	if (isCritical(category) || variables.some(({ kind }) => kind === "secret"))
		return {
			field: "digest",
			reason: "digest_forbidden",
			message: "Messages of this template are never collected.",
		};
	return undefined;
}

function findConditionProblem({ conditions }: TriggerTerms): TriggerProblem | undefined {
	const place = conditions.findIndex(({ path }) => !conditionRoots.has(path.split(".")[0] ?? ""));
	if (place >= 0)
		return {
			field: `conditions.${place}.path`,
			reason: "path_forbidden",
			message: "The path must begin with event, before or time.",
		};
	const wrong = conditions.findIndex(
		({ op, value }) =>
			(op === "in" && !Array.isArray(value)) || (op === "exists" && typeof value !== "boolean"),
	);
	return wrong < 0
		? undefined
		: {
				field: `conditions.${wrong}.value`,
				reason: "value_invalid",
				message: "The value must be a list for in, and true or false for exists.",
			};
}

function findMapProblem({ map }: TriggerTerms, variables: readonly string[]): TriggerProblem | undefined {
	const missing = variables.find((name) => !Object.hasOwn(map, name));
	if (missing !== undefined)
		return {
			field: `map.${missing}`,
			reason: "variable_missing",
			message: `The variable ${missing} of the template has no value.`,
		};
	for (const [name, from] of Object.entries(map)) {
		if (!variables.includes(name))
			return {
				field: `map.${name}`,
				reason: "variable_unknown",
				message: "The template does not have this variable.",
			};
		const paths = "from" in from ? [from.from] : "money" in from ? from.money : [];
		if (paths.some((path) => !mapRoots.has(path.split(".")[0] ?? "")))
			return {
				field: `map.${name}`,
				reason: "path_forbidden",
				message: "A path must begin with event, time, tenant or recipient.",
			};
	}
	return undefined;
}
