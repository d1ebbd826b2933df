import type { Plan } from "@lango/contracts";
import { Button } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { subscriptionAddress } from "../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";

type Selected = { plan: Plan; context: SubscriptionContext };

/**
 * Returns the request that selects a plan: it starts a trial or continues it with another plan. Nothing is
 * paid.
 */
function useSelect({ plan, context }: Selected): () => Promise<unknown> {
	const platform = usePlatform();
	const address = subscriptionAddress(platform, context.tenantId);
	return () => platform.client.call(address, { method: "POST", body: { plan: plan.code } });
}

/** Starts the trial of a plan. It is free, so there is no confirmation. */
export function TrialButton({ plan, context, isFirst }: Selected & { isFirst: boolean }) {
	const words = useSubscribeTexts();
	const begin = useMutation({
		mutationFn: useSelect({ plan, context }),
		onSuccess: async () => {
			showToast("done", words.trialBegun(plan.name, plan.trial_days));
			await context.renew();
		},
	});
	return (
		<div className="grid gap-3">
			<ErrorNotice error={begin.error} messages={words.errors} />
			<Button
				kind={isFirst ? "action" : "plain"}
				className="w-full"
				busyText={begin.isPending ? words.beginning : undefined}
				onClick={() => begin.mutate()}
			>
				{words.offers.trial(plan.name)}
			</Button>
		</div>
	);
}

/** Continues a trial with another plan. It may include less, so it asks for confirmation. */
export function SwitchButton({ plan, context }: Selected) {
	const words = useSubscribeTexts();
	return (
		<ConfirmButton
			className="w-full"
			texts={{ ...words.switch, label: words.offers.switch(plan.name) }}
			name={plan.name}
			action={useSelect({ plan, context })}
			onDone={context.renew}
			messages={words.errors}
		/>
	);
}
