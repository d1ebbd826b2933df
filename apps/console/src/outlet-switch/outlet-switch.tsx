import { isOutletOfSession, type Ready } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { hasUnsaved, LeaveQuestion } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ToggleEvent, useId, useRef, useState } from "react";
import { useExplain } from "../notices/explain.ts";
import { showToast } from "../notices/toast.ts";
import { usePlatform } from "../platform.ts";
import { outletsQuery } from "../tenant/tenant.queries.ts";
import { useTexts } from "../texts/texts.ts";
import { OutletMenu } from "./outlet-menu.tsx";
import { useOutletSwitchTexts } from "./texts.ts";

/**
 * The outlet in the bar of every page, and a menu to change it. There is nothing to change for people without
 * outlets of their own, and in a tenant with one outlet.
 */
export function OutletSwitch({ slug }: { slug: string }) {
	const state = useClientState();
	const outlets = useQuery({ ...outletsQuery(usePlatform(), slug), enabled: state.status === "ready" });
	const { allOutlets } = useTexts();
	if (state.status !== "ready" || state.profile.tenantSlug !== slug) return null;
	const { outlet } = state;
	if (outlet.kind === "none" || (outlets.data?.length ?? 0) < 2) return null;
	const id = outlet.kind === "selected" ? outlet.outletId : "all";
	const name = id === "all" ? allOutlets : (outlets.data?.find((one) => one.id === id)?.name ?? "");
	return <Switch slug={slug} ready={state} current={{ id, name }} />;
}

type Switch = { slug: string; ready: Ready; current: { id: string; name: string } };

function Switch({ slug, ready, current }: Switch) {
	const words = useOutletSwitchTexts();
	const popover = useRef<HTMLDivElement>(null);
	const [isOpen, setOpen] = useState(false);
	const [asked, setAsked] = useState<string>();
	const id = useId();
	const change = useChange(ready);
	const choose = (outletId: string) => {
		popover.current?.hidePopover();
		if (outletId === current.id) return;
		// Another outlet of the session loads the page again, and what was entered would be lost.
		if (isOutletOfSession(ready) && hasUnsaved()) setAsked(outletId);
		else change(outletId);
	};
	return (
		<>
			<button
				type="button"
				popoverTarget={id}
				aria-haspopup="dialog"
				aria-expanded={isOpen}
				aria-label={`${words.change}: ${current.name}`}
				className="flex min-h-11 max-w-28 items-center gap-2 rounded-lg border border-panel-quiet px-3 font-semibold hover:border-panel-ink sm:max-w-64"
			>
				<span className="truncate">{current.name}</span>
				<Arrow />
			</button>
			<div
				ref={popover}
				id={id}
				popover="auto"
				role="dialog"
				aria-label={words.change}
				onToggle={({ newState }: ToggleEvent) => setOpen(newState === "open")}
				className="fixed inset-auto top-16 right-2 m-0 w-96 max-w-[calc(100vw-1rem)] rounded-xl border border-edge bg-wall p-3 text-ink shadow-lg sm:right-6"
			>
				{isOpen && <OutletMenu slug={slug} ready={ready} currentId={current.id} onChoose={choose} />}
			</div>
			{asked !== undefined && (
				<LeaveQuestion
					onStay={() => setAsked(undefined)}
					onLeave={() => {
						setAsked(undefined);
						change(asked);
					}}
				/>
			)}
		</>
	);
}

/** Changes the outlet, and reads what the page shows again. The page stays. */
function useChange(ready: Ready): (outletId: string) => void {
	const client = useClient();
	const queries = useQueryClient();
	const explain = useExplain(useOutletSwitchTexts().errors);
	const { mutate } = useMutation({
		mutationFn: async (outletId: string) => {
			if (isOutletOfSession(ready)) await client.selectOutlet(outletId);
			else client.chooseOutlet(outletId);
		},
		onSuccess: () => queries.invalidateQueries(),
		onError: (error) => showToast("error", explain(error).text),
	});
	return mutate;
}

function Arrow() {
	return (
		<svg aria-hidden="true" viewBox="0 0 12 8" className="w-3 shrink-0" fill="none" stroke="currentColor">
			<path d="m1 1.5 5 5 5-5" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
		</svg>
	);
}
