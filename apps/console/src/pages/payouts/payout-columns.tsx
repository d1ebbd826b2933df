import { buttonLook, type Column, RowName } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useFormat } from "../../tenant/use-format.ts";
import type { Payout } from "./payout.queries.ts";
import { PayoutStatus } from "./payout-status.tsx";
import { usePayoutTexts } from "./texts.ts";

/** The columns of a list of payouts. */
export function usePayoutColumns(slug: string): Column<Payout>[] {
	const words = usePayoutTexts();
	const format = useFormat();
	return [
		{
			head: words.payout,
			cell: ({ id, to, rail, net_minor, currency }) => (
				<RowName detail={words.rails[rail]}>
					<Link
						to="/$slug/payouts/$id"
						params={{ slug, id }}
						className={buttonLook("quiet")}
						aria-label={words.open(to, format.money(net_minor, currency))}
					>
						{to}
					</Link>
				</RowName>
			),
		},
		{ head: words.status, cell: (payout) => <PayoutStatus {...payout} /> },
		{ head: words.created, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.gross,
			isNumber: true,
			cell: ({ gross_minor, currency }) => format.money(gross_minor, currency),
		},
		{
			head: words.net,
			isNumber: true,
			cell: ({ net_minor, currency }) => format.money(net_minor, currency),
		},
	];
}
