import type { AddOn, TenantAddOn } from "@lango/contracts";
import { formatMoney, useLanguage } from "@lango/interface";
import { CheckList } from "../../../fields/check-list.tsx";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import { useChangeTexts } from "./texts.ts";

type KeptAddOns = {
	addOns: readonly AddOn[];
	/** The add-ons the tenant has, at its own price. */
	own: readonly TenantAddOn[];
	/** Codes of those that are paid for. */
	kept: readonly string[];
	/** Undefined while a payment is requested. */
	onChange: ((kept: readonly string[]) => void) | undefined;
};

/** Which add-ons a payment keeps. One that is not kept is dropped with the payment. */
export function KeptAddOns({ addOns, own, kept, onChange }: KeptAddOns) {
	const words = useChangeTexts();
	const { price } = useSubscribeTexts();
	const language = useLanguage();
	return (
		<div className="-mt-5 mb-4">
			<CheckList
				name="add_ons"
				legend={words.kept}
				hint={words.keptHint}
				choices={own.map(({ code, price_minor, currency, interval }) => ({
					value: code,
					label: addOns.find((one) => one.code === code)?.name ?? code,
					detail: price(formatMoney(price_minor, { currency, language }), interval),
				}))}
				chosen={kept}
				onChange={(chosen) => onChange?.(chosen)}
			/>
		</div>
	);
}
