import { TextField } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { SubmitForm } from "../../../forms/submit-form.tsx";
import { usePlatform } from "../../../platform.ts";
import { wordFor } from "../../../texts/texts.ts";
import { askPhone, type Bill, billKey, billQuery, isOpen } from "./bill.queries.ts";
import { usePaymentTexts } from "./texts.ts";

type Paying = { slug: string; operationId: string };

/** Statuses of attempts that the phone may still answer. */
const live: ReadonlySet<string> = new Set(["new", "submitting", "awaiting", "unknown"]);

/**
 * Asks for a phone that pays, and shows that it is being asked. Shows nothing while the treasury does not
 * collect the payment.
 */
export function PayByPhone(paying: Paying) {
	const bill = useQuery(billQuery(usePlatform(), paying.slug, paying.operationId)).data;
	const words = usePaymentTexts();
	if (bill === undefined || bill === null || !isOpen(bill) || !bill.channels.includes("push")) return null;
	const last = bill.attempts.findLast(({ channel }) => channel === "push");
	if (last !== undefined && live.has(last.status))
		return (
			<p role="status" className="mt-3 font-semibold">
				{words.prompted(last.phone_masked ?? "")}
			</p>
		);
	return <PhoneForm {...paying} last={last} />;
}

function PhoneForm({ slug, operationId, last }: Paying & { last: Bill["attempts"][number] | undefined }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = usePaymentTexts();
	const ask = useMutation({
		mutationFn: (entered: FormData) =>
			askPhone(platform, { slug, operationId, phone: String(entered.get("phone")).trim() }),
		onSuccess: () => queries.invalidateQueries({ queryKey: billKey(slug, operationId) }),
	});
	return (
		<div className="mt-3 max-w-md">
			{last !== undefined && (
				<p role="status" className="mb-3">
					{wordFor(words.promptEnds, last.status) || words.promptFailed}
				</p>
			)}
			<SubmitForm
				submit={words.askPhone}
				submitting={words.asking}
				isBusy={ask.isPending}
				failure={ask.error}
				messages={words.phoneErrors}
				check={(entered) =>
					String(entered.get("phone")).trim() === ""
						? { message: words.phoneMissing, field: "phone" }
						: undefined
				}
				onSubmit={(entered) => ask.mutate(entered)}
			>
				{(field) => (
					<TextField
						{...field("phone")}
						type="tel"
						label={words.phone}
						hint={words.phoneHint}
						autoComplete="tel"
						maxLength={20}
					/>
				)}
			</SubmitForm>
		</div>
	);
}
