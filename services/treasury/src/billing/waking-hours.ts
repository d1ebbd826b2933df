const [dayBegins, dayEnds] = [8, 20];

/** Whole hours until people may be asked to pay: 0 between 08:00 and 20:00 of the time zone. */
export function hoursUntilDay(at: Date, timeZone: string): number {
	const hour = Number(
		new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(at),
	);
	if (hour >= dayBegins && hour < dayEnds) return 0;
	return (dayBegins - hour + 24) % 24;
}
