import { type Column, DataTable } from "@lango/interface";
import type { ReactNode } from "react";
import { Section } from "../../layout/section.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import { usePayingTexts } from "./texts.ts";

type Payment = { id: string; amount_minor: number; created_at: string };

type PaymentList<T extends Payment> = {
	title: string;
	empty: string;
	payments: readonly T[];
	currency: string;
	/** What each payment leads to: a receipt or an intent. */
	link?: { head: string; cell: (payment: T) => ReactNode } | undefined;
	/** What can be done with each payment. */
	action?: ((payment: T) => ReactNode) | undefined;
};

/** The payments of an intent or of a receipt, the latest first. */
export function PaymentList<T extends Payment>({
	title,
	empty,
	payments,
	currency,
	link,
	action,
}: PaymentList<T>) {
	const words = usePayingTexts();
	const format = useFormat();
	const actions = action && { head: words.actions, isHeadHidden: true, isNumber: true, cell: action };
	const columns: Column<T>[] = [
		{ head: words.at, cell: ({ created_at }) => format.time(created_at) },
		...(link === undefined ? [] : [link]),
		{ head: words.amount, isNumber: true, cell: ({ amount_minor }) => format.money(amount_minor, currency) },
		...(actions === undefined ? [] : [actions]),
	];
	return (
		<Section title={title}>
			<DataTable
				caption={title}
				columns={columns}
				rows={payments.toReversed()}
				keyOf={({ id }) => id}
				empty={empty}
			/>
		</Section>
	);
}
