import { textOf, textsOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
import type { Overrides } from "./tenant.queries.ts";

/** The field names of a feature and of a limit, with distinct prefixes. */
export const featureField = (code: string) => `feature:${code}`;
export const limitField = (code: string) => `limit:${code}`;

const greatest = 2_147_483_647;
const whole = /^\d{1,10}$/;

/** Reads the value of one limit: undefined for the plan's value, -1 for no limit, NaN if it is not valid. */
function readLimit(text: string): number | undefined {
	if (text === "") return undefined;
	if (text === "-1") return -1;
	const limit = whole.test(text) ? Number(text) : Number.NaN;
	return limit <= greatest ? limit : Number.NaN;
}

/** Reads the form into the request of the subscription service. Values of the plan are omitted. */
export function readOverrides(
	entered: FormData,
	codes: { features: readonly string[]; limits: readonly string[] },
): Overrides {
	const features = codes.features.flatMap((code) => {
		const chosen = textOf(entered, featureField(code));
		return chosen === "" ? [] : [[code, chosen === "on"] as const];
	});
	const limits = codes.limits.flatMap((code) => {
		const limit = readLimit(textOf(entered, limitField(code)));
		return limit === undefined ? [] : [[code, limit] as const];
	});
	return {
		features: Object.fromEntries(features),
		limits: Object.fromEntries(limits),
		products: textsOf(entered, "products"),
	};
}

/** Validates overrides before the request. */
export function checkOverrides(
	{ limits }: Overrides,
	because: string,
	words: { limit: string; because: string },
): readonly InputError[] {
	return errorsOf([
		...Object.entries(limits).map(
			([code, limit]): Rule => [Number.isNaN(limit), limitField(code), words.limit],
		),
		[because === "", "because", words.because],
	]);
}
