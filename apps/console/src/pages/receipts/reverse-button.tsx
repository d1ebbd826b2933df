import { TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { requestReversal } from "../refunds/refund.queries.ts";
import { useRefundTexts } from "../refunds/texts.ts";
import { checkReversal, readReversal, reversalCurrency } from "./reversal-form.ts";
import { useReceiptTexts } from "./texts.ts";

/** A button that returns a mobile-money payment by its number. What is sent twice takes effect once. */
export function ReverseButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const { reverse: words } = useReceiptTexts();
	const refund = useRefundTexts();
	const keys = useGrantKeys("a reversal");
	const send = (entered: FormData) => {
		const request = readReversal(entered);
		return requestReversal(platform, scope, {
			...{ request, idempotencyKey: keys.keyFor(JSON.stringify(request)) },
		});
	};
	const { label, lead, confirm, numberInvalid, amountInvalid } = words;
	return (
		<FormButton
			{...{ label, lead, confirm, done: refund.request.done, busyText: refund.request.busy }}
			messages={{ ...refund.errors, ...words.errors }}
			check={(entered) =>
				checkReversal(entered, { numberInvalid, amountInvalid, reasonMissing: refund.reasonMissing })
			}
			action={send}
			onDone={() => keys.forget()}
			// Payments, receipts, balances and refunds change.
			invalidates={["treasury", scope.slug]}
		>
			{(field) => (
				<>
					<TextField
						{...field("receipt")}
						label={words.number}
						hint={words.numberHint}
						autoComplete="off"
						maxLength={30}
					/>
					<TextField
						{...field("amount_minor")}
						label={refund.amountIn(reversalCurrency)}
						hint={words.amountHint}
						inputMode="numeric"
						autoComplete="off"
						maxLength={20}
						isOptional
					/>
					<TextField
						{...field("remarks")}
						label={refund.reason}
						hint={refund.reasonHint}
						autoComplete="off"
						maxLength={100}
						isProse
					/>
				</>
			)}
		</FormButton>
	);
}
