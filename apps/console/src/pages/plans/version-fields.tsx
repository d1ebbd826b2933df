import { ChecksField, SelectField, TextField } from "@lango/interface";
import type { Field } from "../../forms/submit-form.tsx";
import { useTexts, wordFor } from "../../texts/texts.ts";
import type { Catalogue, Kind, sortCodes, Version } from "./catalogue.queries.ts";
import { moneyText } from "./money-input.ts";
import { useCatalogueTexts } from "./texts.ts";
import { capField, isSoldBeyond, limitField, unitField } from "./version-form.ts";

type VersionFields = {
	kind: Kind;
	/** The version it is based on; null for the first. */
	from: Version | null;
	catalogue: Catalogue;
	codes: ReturnType<typeof sortCodes>;
	field: Field;
};

/** All fields of a version. */
export function VersionFields({ kind, from, catalogue, codes, field }: VersionFields) {
	const words = useCatalogueTexts();
	const texts = useTexts();
	const isPlan = kind === "plans";
	return (
		<>
			<PriceFields from={from} field={field} />
			{isPlan ? (
				<SelectField
					{...field("bundle")}
					label={words.bundle}
					hint={words.bundleHint}
					defaultValue={from?.bundle}
					options={catalogue.bundles.map(({ code, products }) => ({
						value: code,
						label: words.bundleOf(
							wordFor(words.bundles, code),
							products.map((one) => wordFor(texts.products, one)).join(", "),
						),
					}))}
				/>
			) : (
				<ChecksField
					{...field("products")}
					legend={words.products}
					choices={codes.products.map((value) => ({ value, label: wordFor(texts.products, value) }))}
					checked={from?.products ?? []}
				/>
			)}
			{isPlan && <DayFields from={from} field={field} />}
			<ChecksField
				{...field("features")}
				legend={words.features}
				choices={codes.features.map((value) => ({ value, label: wordFor(texts.features, value) }))}
				checked={from?.features ?? []}
			/>
			<LimitFields isPlan={isPlan} from={from} codes={codes.limits} field={field} />
		</>
	);
}

function PriceFields({ from, field }: Pick<VersionFields, "from" | "field">) {
	const words = useCatalogueTexts();
	return (
		<div className="grid gap-x-6 sm:grid-cols-3">
			<TextField
				{...field("price")}
				label={words.price}
				defaultValue={from === null ? "" : moneyText(from.price_minor, from.currency)}
				inputMode="decimal"
				maxLength={20}
			/>
			<TextField
				{...field("currency")}
				label={words.currency}
				defaultValue={from?.currency ?? "KES"}
				maxLength={3}
			/>
			<SelectField
				{...field("interval")}
				label={words.interval}
				defaultValue={from?.interval ?? "month"}
				options={[
					{ value: "month", label: words.intervals.month },
					{ value: "year", label: words.intervals.year },
				]}
			/>
		</div>
	);
}

function DayFields({ from, field }: Pick<VersionFields, "from" | "field">) {
	const words = useCatalogueTexts();
	return (
		<div className="grid gap-x-6 sm:grid-cols-2">
			<TextField
				{...field("trial_days")}
				label={words.trialDays}
				hint={words.trialHint}
				defaultValue={String(from?.trial_days ?? 14)}
				inputMode="numeric"
				maxLength={3}
			/>
			<TextField
				{...field("grace_days")}
				label={words.graceDays}
				hint={words.graceHint}
				defaultValue={String(from?.grace_days ?? 7)}
				inputMode="numeric"
				maxLength={3}
			/>
		</div>
	);
}

type LimitFields = { isPlan: boolean; from: Version | null; codes: readonly string[]; field: Field };

function LimitFields({ isPlan, codes, ...given }: LimitFields) {
	const words = useCatalogueTexts();
	return (
		<div className="mt-8">
			<h2 className="font-display text-xl">{words.limits}</h2>
			<p className="text-quiet">{isPlan ? words.limitsHint : words.addedHint}</p>
			{codes.map((code) => (
				<LimitRow key={code} code={code} isSold={isPlan && isSoldBeyond(code)} {...given} />
			))}
		</div>
	);
}

type LimitRow = { code: string; isSold: boolean; from: Version | null; field: Field };

/** A limit, with the price and maximum of usage over it. */
function LimitRow({ code, isSold, from, field }: LimitRow) {
	const words = useCatalogueTexts();
	const { limits: names } = useTexts();
	const limit = from?.limits[code];
	const sold = from?.overage?.[code];
	return (
		<fieldset className="mt-4 border-t border-hair pt-3">
			<legend className="sr-only">{wordFor(names, code)}</legend>
			<p aria-hidden="true" className="font-semibold">
				{wordFor(names, code)}
			</p>
			<div className="-mt-3 grid items-start gap-x-6 sm:grid-cols-3">
				<TextField
					{...field(limitField(code))}
					label={words.atMost}
					defaultValue={limit === undefined ? "" : String(limit)}
					maxLength={10}
					isOptional
				/>
				{isSold && (
					<>
						<TextField
							{...field(unitField(code))}
							label={words.unitPrice}
							hint={words.unitHint}
							defaultValue={
								sold === undefined ? "" : moneyText(sold.unit_price_minor, from?.currency ?? "KES")
							}
							inputMode="decimal"
							maxLength={20}
							isOptional
						/>
						<TextField
							{...field(capField(code))}
							label={words.cap}
							defaultValue={sold === undefined ? "" : String(sold.cap)}
							inputMode="numeric"
							maxLength={10}
							isOptional
						/>
					</>
				)}
			</div>
		</fieldset>
	);
}
