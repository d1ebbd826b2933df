import { textOf, textsOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
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

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkAdjustment(entered: FormData, form: Form): readonly InputError[] {
	const isCorrection = purposeOf(entered) === "correction";
	return errorsOf([
		...(isCorrection ? rulesOfLines(entered, form) : rulesOfAmount(entered, form)),
		[textOf(entered, "because") === "", "because", form.words.reasonMissing],
	]);
}

function rulesOfLines(entered: FormData, { currency, words }: Form): Rule[] {
	const read = readLines(entered, currency);
	const lines = read.filter((line) => line !== undefined);
	const signed = lines.map(({ side, amount_minor }) => (side === "debit" ? amount_minor : -amount_minor));
	const isOfTenant = lines.some(({ owner }) => owner === "tenant");
	return [
		[lines.length < 2 || lines.length < read.length, "lines", words.lineInvalid],
		[signed.reduce((sum, minor) => sum + minor, 0) !== 0, "lines", words.unbalanced],
		[isOfTenant && textOf(entered, "tenant") === "", "tenant", words.tenantMissing],
	];
}

function rulesOfAmount(entered: FormData, { currency, words }: Form): Rule[] {
	const purpose = purposeOf(entered);
	const amount = readSigned(textOf(entered, "amount_minor"), currency) ?? 0;
	const isRefused = amount === 0 || (amount < 0 && purpose !== "variance");
	return [
		[isRefused, "amount_minor", words.amountInvalid],
		[needsTenant(purpose) && textOf(entered, "tenant") === "", "tenant", words.tenantMissing],
	];
}

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
