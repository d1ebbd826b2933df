import { textOf, textsOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";
import { type JournalLine, owners, sides } from "../journals/journal.queries.ts";
import { readMoney } from "../plans/money-input.ts";
import { type AdjustmentRequest, adjustmentPurposes } from "./adjustment.queries.ts";

type Words = {
	amountInvalid: string;
	lineInvalid: string;
	unbalanced: string;
	tenantMissing: string;
	reasonMissing: string;
};

/** The tenant's account of each purpose is known, of a correction its lines say it. */
export const needsTenant = (purpose: string): boolean => purpose === "write_off";

const purposeOf = (entered: FormData) =>
	adjustmentPurposes.find((purpose) => purpose === textOf(entered, "purpose")) ?? "top_up";

/** An amount; a variance may be negative. */
function readSigned(text: string, currency: string): number | undefined {
	const minor = readMoney(text.replace(/^[-−]/, ""), currency);
	if (minor === undefined || minor < 1) return undefined;
	return /^[-−]/.test(text) ? -minor : minor;
}

/** The lines that are filled in; undefined where one is not complete. */
function readLines(entered: FormData, currency: string): Array<JournalLine | undefined> {
	const [codes, amounts] = [textsOf(entered, "code"), textsOf(entered, "amount")];
	const [chosenSides, chosenOwners] = [textsOf(entered, "side"), textsOf(entered, "owner")];
	return codes.flatMap((text, index) => {
		const [code, amount] = [text.trim(), (amounts[index] ?? "").trim()];
		if (code === "" && amount === "") return [];
		const minor = readMoney(amount, currency);
		const side = sides.find((one) => one === chosenSides[index]);
		const owner = owners.find((one) => one === chosenOwners[index]);
		if (code === "" || minor === undefined || minor < 1 || side === undefined || owner === undefined)
			return [undefined];
		return [{ side, owner, code, amount_minor: minor }];
	});
}

type Form = { currency: string; words: Words };

/** Finds the first field that the treasury would refuse, as far as the page can know. */
export function checkAdjustment(entered: FormData, form: Form): InputError | undefined {
	const found = purposeOf(entered) === "correction" ? checkLines(entered, form) : checkAmount(entered, form);
	if (found !== undefined) return found;
	return textOf(entered, "because") === ""
		? { message: form.words.reasonMissing, field: "because" }
		: undefined;
}

function checkLines(entered: FormData, { currency, words }: Form): InputError | undefined {
	const read = readLines(entered, currency);
	const lines = read.filter((line) => line !== undefined);
	if (lines.length < 2 || lines.length < read.length) return { message: words.lineInvalid, field: "lines" };
	const signed = lines.map(({ side, amount_minor }) => (side === "debit" ? amount_minor : -amount_minor));
	if (signed.reduce((sum, minor) => sum + minor, 0) !== 0)
		return { message: words.unbalanced, field: "lines" };
	const isOfTenant = lines.some(({ owner }) => owner === "tenant");
	return isOfTenant ? checkTenant(entered, words) : undefined;
}

function checkAmount(entered: FormData, { currency, words }: Form): InputError | undefined {
	const purpose = purposeOf(entered);
	const amount = readSigned(textOf(entered, "amount_minor"), currency);
	if (amount === undefined || (amount < 0 && purpose !== "variance"))
		return { message: words.amountInvalid, field: "amount_minor" };
	return needsTenant(purpose) ? checkTenant(entered, words) : undefined;
}

const checkTenant = (entered: FormData, words: Words): InputError | undefined =>
	textOf(entered, "tenant") === "" ? { message: words.tenantMissing, field: "tenant" } : undefined;

/** The request of a form that was checked. */
export function readAdjustment(entered: FormData, currency: string): AdjustmentRequest {
	const purpose = purposeOf(entered);
	const about = { slug: textOf(entered, "tenant"), currency, because: textOf(entered, "because") };
	if (purpose === "correction") {
		const lines = readLines(entered, currency).filter((line) => line !== undefined);
		return { ...about, purpose, lines };
	}
	return { ...about, purpose, amount_minor: readSigned(textOf(entered, "amount_minor"), currency) ?? 0 };
}
