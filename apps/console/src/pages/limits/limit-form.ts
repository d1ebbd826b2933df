import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
import { type Channel, channels, type Limit, type LimitChange } from "./limit.queries.ts";

const members = ["per_minute", "burst"] as const;
export type Member = (typeof members)[number];

/** The name of the field of a limit, as the service names it in its errors. */
export const fieldOf = (channel: Channel, member: Member) => `${channel}.${member}`;
const most = 1_000_000;

type Words = {
	invalid: (what: string) => string;
	above: (what: string) => string;
	channels: Readonly<Record<Channel, string>>;
	members: Readonly<Record<Member, string>>;
};

/** Finds the fields that are not a number, or above the ceiling unless the platform owner sets it. */
export function checkLimits(
	entered: FormData,
	limits: readonly Limit[],
	{ words, mayRaise }: { words: Words; mayRaise: boolean },
): readonly InputError[] {
	const rulesOf = ({ channel, ceiling }: Limit, member: Member): Rule[] => {
		const field = fieldOf(channel, member);
		const text = textOf(entered, field);
		const what = `${words.channels[channel]}, ${words.members[member]}`;
		const isNumber = /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= most;
		return [
			[!isNumber, field, words.invalid(what)],
			[!mayRaise && Number(text) > ceiling[member], field, words.above(what)],
		];
	};
	return errorsOf(limits.flatMap((limit) => members.flatMap((member) => rulesOf(limit, member))));
}

/** The limits that differ from those in force. */
export function readLimits(entered: FormData, limits: readonly Limit[]): LimitChange {
	const known = channels.flatMap((channel) => limits.filter((limit) => limit.channel === channel));
	return Object.fromEntries(
		known.flatMap(({ channel, ...now }) => {
			const [per_minute, burst] = members.map((member) => Number(textOf(entered, fieldOf(channel, member))));
			if (per_minute === undefined || burst === undefined) return [];
			return per_minute === now.per_minute && burst === now.burst ? [] : [[channel, { per_minute, burst }]];
		}),
	);
}
