import type { AddOn, TenantAddOn } from "@lango/contracts";
import { CheckList } from "../../../fields/check-list.tsx";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { useChangeTexts } from "./texts.ts";

type KeptAddOns = {
	addOns: readonly AddOn[];
	/** The tenant's add-ons, at the tenant's price. */
	own: readonly TenantAddOn[];
	/** The codes of the add-ons to pay for. */
	kept: readonly string[];
	/** Undefined while a payment is requested. */
	onChange: ((kept: readonly string[]) => void) | undefined;
};

/** Selects the add-ons to keep. The others are removed with the payment. */
export function KeptAddOns({ addOns, own, kept, onChange }: KeptAddOns) {
	const words = useChangeTexts();
	const { price } = useSubscribeTexts();
	const format = useFormat();
	return (
		<div className="-mt-5 mb-4">
			<CheckList
				name="add_ons"
				legend={words.kept}
				hint={words.keptHint}
				choices={own.map(({ code, price_minor, currency, interval }) => ({
					value: code,
					label: addOns.find((one) => one.code === code)?.name ?? code,
					detail: price(format.money(price_minor, currency), interval),
				}))}
				chosen={kept}
				onChange={(chosen) => onChange?.(chosen)}
			/>
		</div>
	);
}
