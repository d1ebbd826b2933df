import type { Plan } from "@lango/contracts";
import { Button } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { AskedButton } from "../../asking/asked-button.tsx";
import { Fault } from "../../notices/fault.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { subscriptionAddress } from "./subscribe.queries.ts";
import { useSubscribeTexts } from "./texts.ts";
import type { Desk } from "./use-subscription-desk.ts";

type Selected = { plan: Plan; desk: Desk };

/** What selects a plan: a trial begins, or goes on with another plan. Nothing is paid. */
function useSelect({ plan, desk }: Selected): () => Promise<unknown> {
	const platform = usePlatform();
	const address = subscriptionAddress(platform, desk.tenantId);
	return () => platform.client.call(address, { method: "POST", body: { plan: plan.code } });
}

/** Begins the trial of a plan. It costs nothing, so it asks nothing. */
export function TrialButton({ plan, desk, isFirst }: Selected & { isFirst: boolean }) {
	const words = useSubscribeTexts();
	const begin = useMutation({
		mutationFn: useSelect({ plan, desk }),
		onSuccess: async () => {
			showToast("done", words.trialBegun(plan.name, plan.trial_days));
			await desk.renew();
		},
	});
	return (
		<div className="grid gap-3">
			<Fault error={begin.error} own={words.refused} />
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

/** Another plan for the rest of a trial; it may hold less, so it asks. */
export function SwitchButton({ plan, desk }: Selected) {
	const words = useSubscribeTexts();
	return (
		<AskedButton
			className="w-full"
			label={words.offers.switch(plan.name)}
			question={{
				title: words.switchTitle(plan.name),
				text: words.switchText(plan.name),
				confirm: words.offers.switch(plan.name),
				busyText: words.switching,
			}}
			deed={useSelect({ plan, desk })}
			onDone={async () => {
				showToast("done", words.switched(plan.name));
				await desk.renew();
			}}
			own={words.refused}
		/>
	);
}
