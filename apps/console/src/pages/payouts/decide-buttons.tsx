import { useProfile } from "@lango/client/react";
import { TextAreaField } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { decidePayout, type Payout } from "./payout.queries.ts";
import { usePayoutTexts } from "./texts.ts";

type Props = { scope: ServiceScope; payout: Payout };

/** What may be decided about a payout now: by another person than its creator, before it is sent. */
export function DecideButtons({ scope, payout }: Props) {
	const userId = useProfile()?.userId;
	const isOwn = payout.created_by === userId;
	const isWaiting = payout.status === "awaiting_approval";
	if (!isWaiting && payout.status !== "approved") return null;
	return (
		<div className="flex flex-wrap justify-end gap-3">
			{isWaiting && !isOwn && <ApproveButton scope={scope} payout={payout} />}
			{isWaiting && !isOwn && <RejectButton scope={scope} payout={payout} />}
			<CancelButton scope={scope} payout={payout} />
		</div>
	);
}

/** Returns a title with the payee and the amount of a payout. */
function useTitle({ to, net_minor, currency }: Payout) {
	const format = useFormat();
	return (title: (name: string, sum: string) => string) => title(to, format.money(net_minor, currency));
}

/** A decision changes payouts, balances and the statement. */
const changedBy = ({ slug }: ServiceScope) => ["treasury", slug];

function ApproveButton({ scope, payout }: Props) {
	const platform = usePlatform();
	const { approve, errors } = usePayoutTexts();
	const title = useTitle(payout);
	return (
		<ConfirmButton
			kind="action"
			texts={{ ...approve, title: title(approve.title) }}
			name={payout.to}
			action={() => decidePayout(platform, { scope, id: payout.id }, { decision: "approve" })}
			invalidates={changedBy(scope)}
			messages={errors}
		/>
	);
}

function CancelButton({ scope, payout }: Props) {
	const platform = usePlatform();
	const { cancel, errors } = usePayoutTexts();
	const title = useTitle(payout);
	return (
		<ConfirmButton
			texts={{ ...cancel, title: title(cancel.title) }}
			isDestructive
			name={payout.to}
			action={() => decidePayout(platform, { scope, id: payout.id }, { decision: "cancel" })}
			invalidates={changedBy(scope)}
			messages={errors}
		/>
	);
}

function RejectButton({ scope, payout }: Props) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	const { label, lead, confirm, busy, done, missing } = words.reject;
	const title = useTitle(payout)(words.reject.title);
	const reasonOf = (entered: FormData) => textOf(entered, "because");
	return (
		<FormButton
			isDestructive
			{...{ label, lead, confirm, done, busyText: busy, title }}
			keptAs={payout.id}
			messages={words.errors}
			check={(entered) => errorsOf([[reasonOf(entered) === "", "because", missing]])}
			action={(entered) =>
				decidePayout(platform, { scope, id: payout.id }, { decision: "reject", because: reasonOf(entered) })
			}
			invalidates={changedBy(scope)}
		>
			{(field) => <TextAreaField {...field("because")} label={words.because} rows={2} maxLength={300} />}
		</FormButton>
	);
}
