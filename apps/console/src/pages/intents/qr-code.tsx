import { Button } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { usePayingTexts } from "../payments/texts.ts";
import { drawQrCode, type Intent } from "./intent.queries.ts";
import { useIntentTexts } from "./texts.ts";

type QrCode = { scope: ServiceScope; intent: Pick<Intent, "id" | "received_minor"> };

/** A button that shows the QR code by which a phone pays what is due of an intent. */
export function QrCode({ scope, intent: { id, received_minor: received } }: QrCode) {
	const platform = usePlatform();
	const { qr: words } = useIntentTexts();
	const { errors } = usePayingTexts();
	const draw = useMutation({ mutationFn: (_received: number) => drawQrCode(platform, { scope, id }) });
	// Once something is received, another amount is due.
	const drawn = draw.variables === received ? draw.data : undefined;
	return (
		<div className="mt-5 grid justify-items-start gap-3">
			<Button busyText={draw.isPending ? words.busy : undefined} onClick={() => draw.mutate(received)}>
				{words.show}
			</Button>
			<ErrorNotice error={draw.error} messages={errors} />
			{drawn !== undefined && (
				<img
					className="w-full max-w-72 rounded-lg bg-white p-3"
					src={`data:image/png;base64,${drawn.png_base64}`}
					alt={words.alt}
				/>
			)}
		</div>
	);
}
