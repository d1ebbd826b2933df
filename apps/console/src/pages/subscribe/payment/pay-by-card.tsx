import { useProfile } from "@lango/client/react";
import { TextField } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { textOf } from "../../../forms/form-data.ts";
import { SubmitForm } from "../../../forms/submit-form.tsx";
import { usePlatform } from "../../../platform.ts";
import { billQuery, isOpen, openCheckout } from "./bill.queries.ts";
import { usePaymentTexts } from "./texts.ts";

/**
 * Opens the card gateway's page, where a bill is paid by card, from a bank or by USSD. Shows nothing while
 * the treasury does not collect the payment.
 */
export function PayByCard({ slug, operationId }: { slug: string; operationId: string }) {
	const platform = usePlatform();
	const bill = useQuery(billQuery(platform, slug, operationId)).data;
	const words = usePaymentTexts();
	const email = useProfile()?.email;
	const open = useMutation({
		mutationFn: (entered: FormData) =>
			openCheckout(platform, { slug, operationId, email: textOf(entered, "email") }),
		onSuccess: (address) => window.location.assign(address),
	});
	if (bill === undefined || bill === null || !isOpen(bill) || !bill.channels.includes("card")) return null;
	return (
		<div className="mt-3 max-w-md">
			<SubmitForm
				submit={words.payByCard}
				submitting={words.opening}
				isBusy={open.isPending || open.isSuccess}
				failure={open.error}
				messages={words.cardErrors}
				check={(entered) =>
					/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(textOf(entered, "email"))
						? undefined
						: { message: words.emailInvalid, field: "email" }
				}
				onSubmit={(entered) => open.mutate(entered)}
			>
				{(field) => (
					<TextField
						{...field("email")}
						type="email"
						label={words.email}
						hint={words.emailHint}
						defaultValue={email ?? ""}
						autoComplete="email"
						maxLength={254}
					/>
				)}
			</SubmitForm>
		</div>
	);
}
