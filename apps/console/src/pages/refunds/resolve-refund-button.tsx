import { SelectField, TextAreaField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type Refund, resolveRefund } from "./refund.queries.ts";
import { useRefundTexts } from "./texts.ts";

type Decided = Pick<Refund, "id" | "amount_minor" | "currency">;

/** For the platform owner: a button that says what became of a refund under review. */
export function ResolveRefundButton({ refund }: { refund: Decided }) {
	const platform = usePlatform();
	const words = useRefundTexts();
	const format = useFormat();
	const { label, title, lead, as, choices, because, confirm, busy, done, waits } = words.resolve;
	return (
		<FormButton
			{...{ label, lead, confirm, busyText: busy }}
			title={title(format.money(refund.amount_minor, refund.currency))}
			keptAs={refund.id}
			messages={words.errors}
			check={(entered) => errorsOf([[textOf(entered, "because") === "", "because", words.reasonMissing]])}
			action={(entered) =>
				resolveRefund(platform, refund.id, {
					...{ as: textOf(entered, "as"), because: textOf(entered, "because") },
				})
			}
			// Balances, counts and lists change.
			invalidates={["treasury"]}
			done={({ status }) => (status === "failed" || status === "processed" ? done : waits)}
		>
			{(field) => (
				<>
					<SelectField
						{...field("as")}
						label={as}
						options={Object.entries(choices).map(([value, text]) => ({ value, label: text }))}
					/>
					<TextAreaField {...field("because")} label={because} rows={2} maxLength={300} isProse />
				</>
			)}
		</FormButton>
	);
}
