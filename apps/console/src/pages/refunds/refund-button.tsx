import { TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type RefundTarget, requestRefund } from "./refund.queries.ts";
import { checkRefund, readRefund } from "./refund-form.ts";
import { useRefundTexts } from "./texts.ts";

type RefundButton = { scope: ServiceScope; of: RefundTarget; maxMinor: number; currency: string };

/** A button that returns a payment, or a part of it. A request that is sent twice takes effect once. */
export function RefundButton({ scope, of, maxMinor, currency }: RefundButton) {
	const platform = usePlatform();
	const words = useRefundTexts();
	const format = useFormat();
	// Several payments of a page can be refunded.
	const id = `a refund ${JSON.stringify(of)}`;
	const keys = useGrantKeys(id);
	const send = (entered: FormData) => {
		const request = readRefund(entered, { of, currency, maxMinor });
		return requestRefund(platform, scope, {
			...{ request, idempotencyKey: keys.keyFor(JSON.stringify(request)) },
		});
	};
	const { label, lead, confirm, busy, done } = words.request;
	return (
		<FormButton
			{...{ label, confirm, done, busyText: busy, lead: lead(format.money(maxMinor, currency)) }}
			keptAs={id}
			messages={words.errors}
			check={(entered) => checkRefund(entered, { currency, maxMinor, words })}
			action={send}
			onDone={() => keys.forget()}
			// Payments, receipts, balances and refunds change.
			invalidates={["treasury", scope.slug]}
		>
			{(field) => (
				<>
					<TextField
						{...field("amount_minor")}
						label={words.amountIn(currency)}
						hint={words.amountHint}
						inputMode="decimal"
						autoComplete="off"
						maxLength={20}
						isOptional
					/>
					<TextField
						{...field("reason")}
						label={words.reason}
						hint={words.reasonHint}
						autoComplete="off"
						maxLength={200}
						isProse
					/>
					<TextField
						{...field("customer_note")}
						label={words.note}
						hint={words.noteHint}
						autoComplete="off"
						maxLength={200}
						isOptional
						isProse
					/>
				</>
			)}
		</FormButton>
	);
}
