import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../../platform.ts";
import { isOpen } from "../../payments/intent-status.tsx";
import { PayByCard } from "../../payments/pay-by-card.tsx";
import { PayByPhone } from "../../payments/pay-by-phone.tsx";
import { askPhone, billKey, billQuery, openCheckout } from "./bill.queries.ts";

/** The ways in which a bill can be paid. Shows nothing while the treasury does not collect it. */
export function PayBill({ slug, operationId }: { slug: string; operationId: string }) {
	const platform = usePlatform();
	const bill = useQuery(billQuery(platform, slug, operationId)).data;
	if (bill === undefined || bill === null || !isOpen(bill)) return null;
	return (
		<>
			{bill.channels.includes("push") && (
				<PayByPhone
					attempts={bill.attempts}
					refusal={bill.prompt_refusal}
					ask={(phone) => askPhone(platform, { slug, operationId, phone })}
					invalidates={billKey(slug, operationId)}
				/>
			)}
			{bill.channels.includes("card") && (
				<PayByCard open={(email) => openCheckout(platform, { slug, operationId, email })} />
			)}
		</>
	);
}
