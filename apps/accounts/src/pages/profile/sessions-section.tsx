import {
	Button,
	ConfirmDialog,
	type Device,
	DeviceCards,
	devicesOf,
	formatTime,
	Notice,
	nameZone,
	useLanguage,
} from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { useSettings } from "../../settings.ts";
import { useZone } from "../../tenant/use-zone.ts";
import { useTexts } from "../../texts/texts.ts";
import { endDevice, endOtherSessions, sessionsQuery } from "./profile.queries.ts";
import { Section } from "./section.tsx";

/** The devices of the person. One is signed out at once, all others after a confirmation. */
export function SessionsSection({ tenantSlug }: { tenantSlug: string }) {
	const { authUrl } = useSettings();
	const texts = useTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone(tenantSlug) };
	const sessions = useQuery(sessionsQuery(authUrl));
	const ending = useEnding();
	const { profile: words } = texts;
	const devices = sessions.data === undefined ? undefined : devicesOf(sessions.data);

	const failure = ending.error ?? sessions.error;
	return (
		<Section title={words.sessions} lead={words.zone(nameZone(zone))}>
			<div className="mb-4 grid gap-3 empty:hidden">
				{ending.data !== undefined && <Notice kind="done">{ending.data}</Notice>}
				{failure !== null && <Notice kind="error">{explainRefusal(failure, texts).message}</Notice>}
			</div>
			{devices === undefined ? (
				<p className="text-quiet">{sessions.isPending ? words.loading : null}</p>
			) : (
				<DeviceCards
					devices={devices}
					format={(time) => formatTime(time, zone)}
					action={(device, name) => (
						<Button
							kind="remove"
							aria-label={words.endOne(name)}
							busyText={isEnding(ending, device) ? words.ending : undefined}
							onClick={() => ending.mutate({ device, name })}
						>
							{words.end}
						</Button>
					)}
				/>
			)}
			{(devices?.length ?? 0) > 1 && <EndAll ending={ending} />}
		</Section>
	);
}

type Ending = ReturnType<typeof useEnding>;

const isEnding = ({ isPending, variables }: Ending, { sessionId }: Device): boolean =>
	isPending && variables?.device.sessionId === sessionId;

/** Signs a device out, or all others if undefined. Returns the message to show. */
function useEnding() {
	const { authUrl } = useSettings();
	const queries = useQueryClient();
	const { profile: words } = useTexts();
	return useMutation({
		mutationFn: async (ended: { device: Device; name: string } | undefined) => {
			if (ended === undefined) await endOtherSessions(authUrl);
			else await endDevice(authUrl, ended.device);
			return ended === undefined ? words.endedAll : words.ended(ended.name);
		},
		// Also after a failure: a listed session may have ended already.
		onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
	});
}

function EndAll({ ending }: { ending: Ending }) {
	const { profile: words } = useTexts();
	const [isOpen, setOpen] = useState(false);
	const close = () => setOpen(false);
	return (
		<div className="mt-5">
			<Button kind="remove" aria-haspopup="dialog" onClick={() => setOpen(true)}>
				{words.endAll}
			</Button>
			{isOpen && (
				<ConfirmDialog
					title={words.endAllTitle}
					isDestructive
					confirm={words.endAll}
					busyText={ending.isPending ? words.ending : undefined}
					onConfirm={() => ending.mutate(undefined, { onSettled: close })}
					onClose={close}
				>
					<p>{words.endAllText}</p>
				</ConfirmDialog>
			)}
		</div>
	);
}
