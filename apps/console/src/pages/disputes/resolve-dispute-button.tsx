import { SelectField, TextAreaField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { isOpen, type OperatorDispute, resolveDispute } from "./dispute.queries.ts";
import { useDisputeTexts } from "./texts.ts";

/** For the platform owner: a button that says how a dispute that is overdue ended. */
export function ResolveDisputeButton({ dispute }: { dispute: OperatorDispute }) {
	const platform = usePlatform();
	const words = useDisputeTexts();
	const format = useFormat();
	const { label, title, lead, as, because, missing, confirm, busy, done, waits } = words.resolve;
	return (
		<FormButton
			{...{ label, lead, confirm, busyText: busy }}
			title={title(format.money(dispute.amount_minor, dispute.currency))}
			keptAs={dispute.id}
			messages={words.errors}
			check={(entered) => errorsOf([[textOf(entered, "because") === "", "because", missing]])}
			action={(entered) =>
				resolveDispute(platform, dispute.id, {
					...{ as: textOf(entered, "as"), because: textOf(entered, "because") },
				})
			}
			// Balances and lists change.
			invalidates={["treasury"]}
			done={(decided) => (isOpen(decided) ? waits : done)}
		>
			{(field) => (
				<>
					<SelectField
						{...field("as")}
						label={as}
						options={(["won", "lost"] as const).map((value) => ({ value, label: words.statuses[value] }))}
					/>
					<TextAreaField {...field("because")} label={because} rows={2} maxLength={300} isProse />
				</>
			)}
		</FormButton>
	);
}
